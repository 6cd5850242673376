import t from 'tap'
import type { AddedUser } from '../../../src/accounts/users/change-user.ts'
import { toUuid } from '../../../src/domain/ids.ts'
import { streamOf } from '../../support/ledger/company-events.ts'
import { cookieOf, issueToken, OWN_PAGE } from '../../support/http/sessions.ts'
import { send, startService } from '../../support/service.ts'
import { ledgerFaults } from '../../support/ledger/verify-ledger.ts'

const service = await startService(t)
const { admin, auditor, member } = service.company
const UNKNOWN = 'tok_01h455vb4pex5vsknk084sn02q'

const issue = async (user: AddedUser, body?: object) => issueToken(service, user, body)
const list = (token: string, query = '') => service.manage('GET', `/tokens${query}`, undefined, token)

for (const [role, user] of Object.entries({ admin, auditor, member })) {
  await t.test(`a user with the role ${role} issues, lists and revokes their own tokens`, async (t) => {
    const answer = await issue(user, { name: ' CI ' })
    t.equal(answer.status, 201)
    t.equal(answer.headers['cache-control'], 'no-store')
    const { token, ...shown } = answer.body
    t.match(token, /^el_user_[0-9a-z]{26}_[0-9A-Za-z]{49}$/)
    t.match(shown, { user_id: user.user_id, name: 'CI', status: 'active', last_used: null, revoked_at: null })
    t.equal(Date.parse(shown.expires_at) - Date.parse(shown.created_at), 90 * 86_400_000)
    t.strictSame((await list(user.token)).body.items[0], shown)
    t.equal((await list(token)).status, 200)
    t.match((await list(token)).body.items[0].last_used, /^20/)
    t.equal((await service.manage('DELETE', `/tokens/${shown.id}`, undefined, user.token)).status, 204)
    t.match(await list(token), { status: 401, body: { code: 'invalid_credentials' } })
    t.match((await list(user.token)).body.items[0], { id: shown.id, status: 'revoked', revoked_at: /^20/ })
    const again = await service.manage('DELETE', `/tokens/${shown.id}`, undefined, user.token)
    t.equal(again.status, 204)
    t.notOk(again.headers['x-ledger-position'])
    const [issued, revoked] = (await streamOf(service, user.user_id)).slice(-2)
    t.match([issued!.actor, revoked!.actor], [user.user_id, user.user_id])
    t.match(issued, { type: 'UserTokenIssued', data: { token_id: shown.id, name: 'CI', expires_at: shown.expires_at } })
    t.match(revoked, { type: 'UserTokenRevoked', data: { token_id: shown.id } })
  })
}

await t.test("a token lasts 1 to 366 days, by the database's clock", async (t) => {
  for (const days of [0, 367, 1.5, '90']) {
    const answer = await issue(member, { name: 'x', expires_in_days: days })
    t.match(answer, { status: 422, body: { code: 'validation_failed', errors: [{ pointer: '/expires_in_days' }] } })
  }
  for (const days of [1, 366]) {
    const { body } = await issue(member, { name: 'x', expires_in_days: days })
    t.equal(Date.parse(body.expires_at) - Date.parse(body.created_at), days * 86_400_000)
  }
  const { body } = await issue(member)
  await service.pool.query(`update user_tokens set expires_at = now() where name = 'CI'`)
  t.equal((await list(body.token)).status, 401)
  t.equal((await list(member.token)).body.items[0].status, 'expired')
})

await t.test("an administrator sees and revokes anybody's tokens; others only their own", async (t) => {
  const { body: of } = await issue(member)
  t.equal((await list(admin.token, `?user=${member.user_id}`)).body.items[0].id, of.id)
  t.equal((await list(member.token, `?user=${member.user_id}`)).status, 200)
  t.match(await list(auditor.token, `?user=${member.user_id}`), { status: 403, body: { code: 'admin_only' } })
  const foreign = await service.makeCompany('Foreign')
  for (const user of [foreign.member.user_id, 'usr_01h455vb4pex5vsknk084sn02q', 'me']) {
    t.match(await list(admin.token, `?user=${user}`), { status: 404, body: { code: 'user_not_found' } })
  }
  const { body: other } = await issue(foreign.member)
  for (const id of [of.id, other.id, UNKNOWN, 'x']) {
    const answer = await service.manage('DELETE', `/tokens/${id}`, undefined, auditor.token)
    t.match(answer, { status: 404, body: { code: 'token_not_found', detail: 'No such token exists' } })
  }
  t.equal(
    (await service.manage('DELETE', `/tokens/${other.id}`)).status,
    404,
    "an administrator's rights end at the company's border",
  )
  t.equal((await service.manage('DELETE', `/tokens/${of.id}`)).status, 204)
  t.equal((await list(of.token)).status, 401)
  const event = (await streamOf(service, member.user_id)).at(-1)
  t.match(event, { type: 'UserTokenRevoked', actor: admin.user_id, data: { token_id: of.id } })
})

await t.test('the list is newest first, without a secret or its digest', async (t) => {
  const { admin: other } = await service.makeCompany('Listed')
  const ids: string[] = []
  for (let at = 0; at < 3; at += 1) ids.unshift((await issue(other, { name: `${at}` })).body.id)
  const { body }: { body: { items: { id: string }[] } } = await list(other.token)
  t.notMatch(JSON.stringify(body), /el_user_|hash/)
  const seen = body.items.map(({ id }) => id)
  t.strictSame(seen.slice(0, 3), ids)
  t.equal(seen.length, 4, "the command line's first token counts")
})

await t.test('a token makes no token, and is refused before the body is read', async (t) => {
  for (const user of [admin, auditor, member]) {
    const before = (await list(user.token)).body.items
    for (const { token } of [user, (await issue(user)).body]) {
      const wanted = { name: 'child', expires_in_days: 365, current_password: user.password }
      for (const body of [wanted, '{']) {
        const answer = await service.manage('POST', '/tokens', body, token)
        t.match(answer, { status: 403, body: { code: 'session_required', detail: /account page/ } })
      }
    }
    t.equal((await list(user.token)).body.items.length, before.length + 1)
  }
})

await t.test('a session makes a token only with the current password, and guesses are limited', async (t) => {
  const { member } = await service.makeCompany('Proof')
  const cookie = await cookieOf(service, member)
  const ask = (body: object) =>
    send(service.address, 'POST', '/admin/v1/tokens', { headers: { ...OWN_PAGE, cookie }, body })
  const refused = { status: 403, body: { code: 'reauthentication_required', detail: /current_password/ } }
  t.match(await ask({ name: 'CI' }), refused)
  t.match(await ask({ name: 'CI', current_password: '' }), refused)
  for (let guesses = 0; guesses < 8; guesses += 1)
    t.match(await ask({ name: 'CI', current_password: 'a wrong password' }), refused)
  t.match(await ask({ name: 'CI', current_password: 'a wrong password' }), { status: 429 })
  t.match(await ask({ name: 'CI', current_password: member.password }), { status: 429 })
  t.equal((await list(member.token)).body.items.length, 1)
})

await t.test('whoever has no password makes a token within ten minutes of signing in', async (t) => {
  const { member } = await service.makeCompany('Recent')
  const cookie = await cookieOf(service, member)
  const ask = () =>
    send(service.address, 'POST', '/admin/v1/tokens', { headers: { ...OWN_PAGE, cookie }, body: { name: 'CI' } })
  await service.pool.query('update users set password_hash = null where user_id = $1', [toUuid(member.user_id)])
  t.equal((await ask()).status, 201)
  const age = "update sessions set created_at = now() - interval '11 minutes' where user_id = $1"
  await service.pool.query(age, [toUuid(member.user_id)])
  t.match(await ask(), { status: 403, body: { code: 'reauthentication_required', detail: /Sign in again/ } })
})

await t.test('all of these routes require a token', async (t) => {
  const routes = [
    ...([
      ['GET', '/tokens'],
      ['POST', '/tokens'],
      ['DELETE', `/tokens/${UNKNOWN}`],
    ] as const),
    ...([
      ['GET', '/api-keys'],
      ['POST', '/api-keys'],
      ['GET', '/users'],
      ['POST', '/users'],
    ] as const),
  ]
  for (const [method, path] of routes) {
    const answer = await service.manage(method, path, method === 'POST' ? '{' : undefined, null)
    t.match(answer, { status: 401, body: { code: 'invalid_credentials' } })
    t.match(answer.headers['www-authenticate'], /^Bearer/)
  }
})

await t.test('keys and users are for administrators: others are refused before the body is read', async (t) => {
  const routes = [
    ...([
      ['GET', '/api-keys'],
      ['POST', '/api-keys'],
      ['PATCH', '/api-keys/x'],
      ['POST', '/api-keys/x/rotate'],
    ] as const),
    ...([
      ['GET', '/users'],
      ['POST', '/users'],
      ['PATCH', '/users/x'],
      ['DELETE', '/users/x'],
    ] as const),
  ]
  for (const { token } of [auditor, member]) {
    for (const [method, path] of routes) {
      const body = method === 'GET' || method === 'DELETE' ? undefined : '{'
      const answer = await service.manage(method, path, body, token)
      t.match(answer, { status: 403, body: { code: 'admin_only' } })
    }
  }
  t.strictSame(await ledgerFaults(service.db, service.company.id), [])
})

await t.test('a user can have 20 tokens; a revoked one makes room for another', async (t) => {
  const { member } = await service.makeCompany('Full')
  // The first token of each user was issued with the user.
  const issued = []
  while (issued.length < 19) issued.push(await issue(member))
  t.match(await issue(member), { status: 409, body: { code: 'too_many_tokens' } })
  t.equal((await service.manage('DELETE', `/tokens/${issued[0]!.body.id}`, undefined, member.token)).status, 204)
  t.equal((await issue(member)).status, 201)
})
