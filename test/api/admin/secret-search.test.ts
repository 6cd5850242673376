import { hash, randomBytes } from 'node:crypto'
import t from 'tap'
import { prefixOfSecret, formatSecret } from '../../../src/domain/accounts/secrets.ts'
import { toUuid } from '../../../src/domain/ids.ts'
import { startService } from '../../support/service.ts'
import { moveBack } from '../../support/postgres/move-back.ts'
import { issueToken } from '../../support/http/sessions.ts'

/* Finding the key or token of a secret that turned up somewhere. */

const service = await startService(t)
const { admin, member } = service.company
const sha256 = (secret: string) => hash('sha256', secret)
const find = (body: object, token = admin.token) => service.manage('POST', '/secrets/find', body, token)
const issue = async (name: string) => (await service.manage('POST', '/api-keys', { name })).body
const rotate = async (id: string, overlap: number) =>
  (await service.manage('POST', `/api-keys/${id}/rotate`, { overlap_seconds: overlap })).body
const readKey = async (id: string) => (await service.manage('GET', `/api-keys/${id}`)).body
const NOTHING = { items: [], is_more: false, next_cursor: null }

/** Finds the one thing that a search leads to. */
async function findOne(body: object) {
  const answer = await find(body)
  t.equal(answer.status, 200)
  t.equal(answer.body.items.length, 1, JSON.stringify(body))
  return answer.body.items[0]
}

/** Replaces the secret of a key as 1.0.0 does, which stores no last four characters. */
async function rotateWithPreviousVersion(id: string): Promise<string> {
  const secret = formatSecret(prefixOfSecret('key', service.company.id), randomBytes(32))
  await service.pool.query(
    `update api_keys set secret_hash = $3, rotated_at = now(), previous_expires_at = now() + interval '1 hour',
       previous_secret_hash = secret_hash where company_id = $1 and api_id = $2`,
    [toUuid(service.company.id), toUuid(id), Buffer.from(sha256(secret), 'hex')],
  )
  return secret
}

await t.test('a key shows the last four characters of its secret, and of the old one while both work', async (t) => {
  const issued = await issue('Shown')
  t.equal(issued.secret_last_four, issued.api_key.slice(-4))
  const rotated = await rotate(issued.id, 60)
  const expected = {
    secret_last_four: rotated.api_key.slice(-4),
    rotation: { previous_secret_last_four: issued.api_key.slice(-4) },
  }
  t.match(rotated, expected)
  t.match(await readKey(issued.id), expected)
  await moveBack(service, 'api_keys', 'previous_expires_at', 61)
  t.match(await readKey(issued.id), { rotation: { previous_secret_last_four: null } })
  t.match(await rotate(issued.id, 0), { rotation: { previous_secret_last_four: null } })
})

await t.test('a token shows its last four characters', async (t) => {
  const { body } = await issueToken(service, member, { name: 'Shown' })
  t.equal(body.secret_last_four, body.token.slice(-4))
  const { body: list } = await service.manage('GET', `/tokens?user=${member.user_id}`)
  t.strictSame(
    list.items.map(({ secret_last_four: lastFour }: { secret_last_four: string }) => lastFour),
    [body.token.slice(-4), member.token.slice(-4)],
  )
})

await t.test('a secret leads to its key, also within a text and by its hash', async (t) => {
  const { id, api_key: secret } = await issue('Pasted')
  for (const body of [{ q: secret }, { q: ` curl -H "x-api-key: ${secret}" \n` }, { secret_sha256: sha256(secret) }])
    t.match(await findOne(body), { found_by: 'secret', api_key: { id, status: 'active' }, token: null })
})

await t.test('an old secret leads to its key while it works, and after it has ended', async (t) => {
  const { id, api_key: first } = await issue('Rotated')
  const { api_key: second } = await rotate(id, 60)
  const found = await findOne({ q: first })
  t.match(found, { found_by: 'previous_secret', api_key: { id } })
  t.type(found.api_key.rotation.previous_secret_expires_at, 'string')
  t.match(await findOne({ q: second }), { found_by: 'secret', api_key: { id } })
  await moveBack(service, 'api_keys', 'previous_expires_at', 61)
  const ended = { found_by: 'previous_secret', api_key: { id, rotation: { previous_secret_expires_at: null } } }
  t.match(await findOne({ q: first }), ended)
  await rotate(id, 60)
  t.strictSame((await find({ q: first })).body, NOTHING, 'only the secret before the last rotation is stored')
})

await t.test('the secret of a disabled, expired or revoked key leads to it, with its status', async (t) => {
  const { id, api_key: secret } = await issue('Ended')
  await service.manage('POST', `/api-keys/${id}/disable`)
  t.match(await findOne({ q: secret }), { api_key: { id, status: 'disabled' } })
  await service.pool.query('update api_keys set expires_at = now() where api_id = $1', [toUuid(id)])
  t.match(await findOne({ q: secret }), { api_key: { id, status: 'expired' } })
  await service.manage('POST', `/api-keys/${id}/revoke`)
  t.match(await findOne({ q: secret }), { found_by: 'secret', api_key: { id, status: 'revoked' } })
})

await t.test("a token leads to itself, also another user's and after it was revoked", async (t) => {
  const { body } = await issueToken(service, member, { name: 'Nightly export' })
  const found = { found_by: 'secret', api_key: null, token: { id: body.id, user_id: member.user_id } }
  t.match(await findOne({ q: body.token }), { ...found, token: { ...found.token, status: 'active' } })
  await service.manage('DELETE', `/tokens/${body.id}`)
  t.match(await findOne({ secret_sha256: sha256(body.token) }), { token: { id: body.id, status: 'revoked' } })
  for (const q of [body.id, body.token.slice(-4), ' NIGHTLY exp '])
    t.match(await findOne({ q }), { token: { id: body.id } }, q)
})

await t.test('an id, the last four characters, or a part of the name leads to a key', async (t) => {
  const { id, api_key: old } = await issue('Monthly 100 % import_')
  const { api_key: secret } = await rotate(id, 60)
  for (const [q, by] of [
    [id, 'id'],
    [old.slice(-4), 'last_four'],
    [secret.slice(-4), 'last_four'],
    ['100 % IMPORT_', 'name'],
  ]) {
    t.match(await findOne({ q }), { found_by: by, api_key: { id } }, by)
  }
  t.strictSame((await find({ q: '%' })).body.items.length, 1, 'no character is a wildcard')
  t.strictSame((await find({ q: 'Monthly_100' })).body, NOTHING)
})

await t.test('what belongs to another company is answered like what does not exist', async (t) => {
  const other = await service.makeCompany('Other')
  const theirs = [other.key.api_key, other.key.api_id, other.admin.token, other.admin.token.slice(-4)]
  const nobodys = formatSecret(prefixOfSecret('key', service.company.id), randomBytes(32))
  for (const q of [...theirs, nobodys, `${theirs[0]}x`]) {
    const { status, body } = await find({ q })
    t.strictSame({ status, body }, { status: 200, body: NOTHING })
  }
  const found = await find({ q: other.key.api_key }, other.admin.token)
  t.equal(found.body.items.length, 1)
})

await t.test('an invalid search gets an error that does not repeat it', async (t) => {
  const secret = service.company.key.api_key
  for (const body of [
    {},
    { q: '' },
    { q: secret, secret_sha256: sha256(secret) },
    { secret_sha256: secret },
    { secret },
  ]) {
    const answer = await find(body)
    t.match(answer, { status: 422, body: { code: 'validation_failed' } })
    t.notOk(JSON.stringify(answer.body).includes(secret))
  }
})

await t.test('a search lists 50 keys at most, the newest, and says that there are more', async (t) => {
  const other = await service.makeCompany('Many')
  const names = Array.from({ length: 51 }, (_, at) => `Sync ${at}`)
  for (const name of names) await service.manage('POST', '/api-keys', { name }, other.admin.token)
  const { body } = await find({ q: 'sync' }, other.admin.token)
  t.equal(body.items.length, 50)
  t.equal(body.is_more, true)
  t.match(body.items[0], { api_key: { name: 'Sync 50' } })
})

await t.test(
  'a key of 1.0.0 shows no last four characters until it is rotated, and is found by its secret',
  async (t) => {
    const { id, api_key: secret } = await issue('Old')
    await service.pool.query('update api_keys set last_four = null where api_id = $1', [toUuid(id)])
    t.match(await readKey(id), { secret_last_four: null })
    t.match(await findOne({ q: secret }), { api_key: { id, secret_last_four: null } })
    const rotated = await rotate(id, 60)
    t.match(rotated, { secret_last_four: rotated.api_key.slice(-4), rotation: { previous_secret_last_four: null } })
    t.match(await findOne({ q: secret }), { found_by: 'previous_secret', api_key: { id } })
  },
)

await t.test('after a rotation by a process of 1.0.0, no characters are shown for the wrong secret', async (t) => {
  const { id, api_key: first } = await issue('Beside')
  const second = await rotateWithPreviousVersion(id)
  const expected = { secret_last_four: null, rotation: { previous_secret_last_four: first.slice(-4) } }
  t.match(await readKey(id), expected)
  t.match(await findOne({ q: second }), { found_by: 'secret', api_key: { id } })
  t.match(await findOne({ q: first.slice(-4) }), { found_by: 'last_four', api_key: { id } })
  const third = await rotate(id, 60)
  t.match(third, { secret_last_four: third.api_key.slice(-4), rotation: { previous_secret_last_four: null } })
})
