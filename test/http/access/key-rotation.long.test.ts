import t from 'tap'
import { streamOf } from '../../support/ledger/company-events.ts'
import { employee, startService } from '../../support/service.ts'
import { ledgerFaults } from '../../support/ledger/verify-ledger.ts'

const service = await startService(t)

interface Issued {
  id: string
  api_key: string
}

const issue = async (): Promise<Issued> => (await service.manage('POST', '/api-keys', { name: 'Rotated' })).body
const rotate = (id: string, body?: object) => service.manage('POST', `/api-keys/${id}/rotate`, body)

/** How the writing path and the reading path answer a secret. */
const statusesOf = async (id: string, secret: string) => {
  const key = { api_id: id, api_key: secret }
  const [write, read] = [
    await service.call('POST', '/v1/employees', { key, body: employee() }),
    await service.call('GET', '/v1/employees', { key }),
  ]
  return [write.status, read.status]
}
const GOOD = [201, 200]
const REFUSED = [401, 401]

await t.test("a rotated key has two secrets until the old one expires, by the database's clock", async (t) => {
  const { id, api_key: old } = await issue()
  const { status, headers, body } = await rotate(id)
  t.equal(status, 200)
  t.equal(headers['cache-control'], 'no-store')
  t.match(body.api_key, /^el_live_/)
  t.not(body.api_key, old)
  const { rotated_at: rotatedAt, previous_secret_expires_at: end } = body.rotation
  t.equal(Date.parse(end) - Date.parse(rotatedAt), 86_400_000, '24 hours by default')
  t.strictSame(await statusesOf(id, old), GOOD)
  t.strictSame(await statusesOf(id, body.api_key), GOOD)
  const [, event] = await streamOf(service, id)
  t.match(event, { type: 'ApiKeyRotated', version: 2, data: { overlap_seconds: 86_400, previous_expires_at: end } })

  await service.pool.query('update api_keys set previous_expires_at = now() where previous_expires_at is not null')
  t.strictSame(await statusesOf(id, old), REFUSED)
  t.strictSame(await statusesOf(id, body.api_key), GOOD)
  const { body: shown } = await service.manage('GET', `/api-keys/${id}`)
  t.strictSame(shown.rotation, {
    rotated_at: rotatedAt,
    previous_secret_expires_at: null,
    previous_secret_last_four: null,
  })
})

await t.test('an overlap of 0 ends the old secret at once', async (t) => {
  const { id, api_key: old } = await issue()
  const { body } = await rotate(id, { overlap_seconds: 0 })
  t.equal(body.rotation.previous_secret_expires_at, null)
  t.strictSame(await statusesOf(id, old), REFUSED)
  t.strictSame(await statusesOf(id, body.api_key), GOOD)
  const [, event] = await streamOf(service, id)
  t.strictSame(event!.data, { overlap_seconds: 0, previous_expires_at: null })
})

await t.test('a second rotation ends the oldest secret: at most two work', async (t) => {
  const { id, api_key: first } = await issue()
  const second = (await rotate(id)).body.api_key
  const third = (await rotate(id, { overlap_seconds: 604_800 })).body.api_key
  t.strictSame(await statusesOf(id, first), REFUSED)
  t.strictSame(await statusesOf(id, second), GOOD)
  t.strictSame(await statusesOf(id, third), GOOD)
})

await t.test('revoking and disabling apply to both secrets', async (t) => {
  const { id, api_key: old } = await issue()
  const { api_key: fresh } = (await rotate(id)).body
  await service.manage('POST', `/api-keys/${id}/disable`)
  for (const secret of [old, fresh]) t.strictSame(await statusesOf(id, secret), [403, 403])
  const { body } = await service.manage('POST', `/api-keys/${id}/revoke`)
  t.equal(body.rotation.previous_secret_expires_at, null)
  for (const secret of [old, fresh]) t.strictSame(await statusesOf(id, secret), REFUSED)
})

await t.test('an overlap outside of 0 to 604800 seconds is refused', async (t) => {
  const { id } = await issue()
  for (const overlap of [-1, 604_801, 1.5, '60', null]) {
    const answer = await rotate(id, { overlap_seconds: overlap })
    t.match(answer, { status: 422, body: { code: 'validation_failed', errors: [{ pointer: '/overlap_seconds' }] } })
  }
  t.equal((await streamOf(service, id)).length, 1)
})

await t.test('simultaneous rotations run one after the other: each secret is new, and the last two work', async (t) => {
  const { id, api_key: first } = await issue()
  const answers = await Promise.all(Array.from({ length: 4 }, () => rotate(id)))
  t.strictSame(
    answers.map(({ status }) => status),
    [200, 200, 200, 200],
  )
  const position = ({ headers }: (typeof answers)[0]) => Number(headers['x-ledger-position'])
  const secrets = [first, ...answers.sort((a, b) => position(a) - position(b)).map(({ body }) => body.api_key)]
  t.equal(new Set(secrets).size, 5)
  for (const [at, secret] of secrets.entries())
    t.strictSame(await statusesOf(id, secret), at < 3 ? REFUSED : GOOD, `secret ${at}`)
  t.equal((await streamOf(service, id)).length, 5)
  t.strictSame(await ledgerFaults(service.db, service.company.id), [])
})
