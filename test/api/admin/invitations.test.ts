import t from 'tap'
import { verifyPassword } from '../../../src/accounts/users/password.ts'
import { toUuid } from '../../../src/domain/ids.ts'
import { streamOf } from '../../support/ledger/company-events.ts'
import { startService } from '../../support/service.ts'

const service = await startService(t)
const PASSWORD = 'correct horse battery'

let count = 0
const invite = async () => {
  count += 1
  return (await service.manage('POST', '/users', { email: `p${count}@example.com`, name: 'Bo', role: 'member' })).body
}
const accept = (token: string, password = PASSWORD) =>
  service.manage('POST', '/invitations/accept', { token, password }, null)
const hashOf = async (id: string) => {
  const { rows } = await service.pool.query('select password_hash from users where user_id = $1', [toUuid(id)])
  return rows[0].password_hash as string | null
}
const DETAIL = 'The credentials are missing, unknown or no longer valid'
const REFUSED = { status: 401, body: { code: 'invalid_credentials', detail: DETAIL } }

await t.test('accepting sets the password, makes the user active and uses up the token', async (t) => {
  const { id, invitation } = await invite()
  const answer = await accept(invitation.token)
  t.match(answer, { status: 200, body: { id, status: 'active', invitation_expires_at: null } })
  const stored = await hashOf(id)
  t.match(stored, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  t.equal(await verifyPassword(PASSWORD, stored!), true)
  t.equal(await verifyPassword(`${PASSWORD}x`, stored!), false)
  const [, event] = await streamOf(service, id)
  t.match(event, { type: 'UserPasswordSet', version: 2, actor: id })
  t.strictSame(event!.data, {})
  t.equal(answer.headers['x-ledger-position'], String(event!.position))
  t.match(await accept(invitation.token, 'another password'), REFUSED)
  t.equal(await hashOf(id), stored)
})

await t.test('every bad token is refused with the same answer', async (t) => {
  const { invitation } = await invite()
  const used = (await invite()).invitation.token
  await accept(used)
  const removed = await invite()
  await service.manage('DELETE', `/users/${removed.id}`)
  const { token } = invitation
  const flipped = token.slice(0, -1) + (token.endsWith('x') ? 'y' : 'x')
  const bads = ['x', flipped, service.company.admin.token, used, removed.invitation.token]
  for (const bad of bads) t.match(await accept(bad), REFUSED)
  await service.pool.query('update users set link_expires_at = now() where link_hash is not null')
  t.match(await accept(token), REFUSED, 'too old')
})

await t.test('when many accept at once, exactly one sets the password', async (t) => {
  const { id, invitation } = await invite()
  const passwords = Array.from({ length: 6 }, (_, at) => `password number ${at}`)
  const answers = await Promise.all(passwords.map((password) => accept(invitation.token, password)))
  const winners = passwords.filter((_, at) => answers[at]!.status === 200)
  t.equal(winners.length, 1)
  t.strictSame(
    answers.map(({ status }) => status).sort((a, b) => a - b),
    [200, 401, 401, 401, 401, 401],
  )
  t.equal(await verifyPassword(winners[0]!, (await hashOf(id))!), true)
  t.equal((await streamOf(service, id)).length, 2)
})

await t.test('a reset voids the password and earlier links at once, and keeps the tokens', async (t) => {
  const { id, invitation: first } = await invite()
  const { body: second, headers } = await service.manage('POST', `/users/${id}/reset-password`)
  t.equal(headers['cache-control'], 'no-store')
  t.match(second, { id, status: 'pending' })
  t.match(await accept(first.token), REFUSED, 'the earlier link')
  t.equal((await accept(second.invitation.token)).status, 200)

  const { user_id: auditor, token } = service.company.auditor
  const { body: third } = await service.manage('POST', `/users/${auditor}/reset-password`)
  t.equal(await hashOf(auditor), null)
  t.equal((await service.manage('GET', '/tokens', undefined, token)).status, 200)
  t.match(await accept(third.invitation.token), { status: 200, body: { status: 'active' } })
  const types = (await streamOf(service, id)).map(({ type }) => type)
  t.strictSame(types, ['UserInvited', 'UserPasswordReset', 'UserPasswordSet'])
})

await t.test('a password has 12 to 1,000 characters, counted as characters', async (t) => {
  const [short, shortKeys, long] = ['x'.repeat(11), '🔑'.repeat(11), 'x'.repeat(1_001)]
  for (const [password, code] of [
    [short, 'too_short'],
    [shortKeys, 'too_short'],
    [long, 'too_long'],
  ] as const) {
    const answer = await accept((await invite()).invitation.token, password)
    t.match(answer, { status: 422, body: { code: 'validation_failed', errors: [{ pointer: '/password', code }] } })
  }
  for (const password of ['x'.repeat(12), '🔑'.repeat(1_000), ' '.repeat(12)]) {
    t.equal((await accept((await invite()).invitation.token, password)).status, 200)
  }
})

await t.test('an address that keeps failing is limited, and a good token is not', async (t) => {
  const limited = await startService(t, { FAILURE_LIMIT: '3' })
  const { body } = await limited.manage('POST', '/users', { email: 'a@example.com', name: 'A', role: 'member' })
  const tryToken = (token: string) => limited.manage('POST', '/invitations/accept', { token, password: PASSWORD }, null)
  const statuses: number[] = []
  for (let at = 0; at < 5; at += 1) statuses.push((await tryToken('x')).status)
  t.strictSame(statuses, [401, 401, 401, 429, 429])
  t.equal((await tryToken(body.invitation.token)).status, 200)
})
