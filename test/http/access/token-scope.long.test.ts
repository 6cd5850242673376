import t from 'tap'
import type { AddedUser } from '../../../src/accounts/users/change-user.ts'
import type { Environment } from '../../support/processes/cli.ts'
import { failsWithLine, makeDataDir, runCommand, runJson } from '../../support/processes/cli.ts'
import { streamOf } from '../../support/ledger/company-events.ts'
import { startService } from '../../support/service.ts'
import { issueToken } from '../../support/http/sessions.ts'

const service = await startService(t)
const { admin, auditor, member } = service.company

const issue = async (user: AddedUser, body: object) => issueToken(service, user, { name: 'audit', ...body })

await t.test('a token for the audit endpoint opens nothing else, for administrators and auditors', async (t) => {
  for (const user of [admin, auditor]) {
    const { status, body } = await issue(user, { scope: 'audit' })
    t.equal(status, 201)
    t.equal(body.scope, 'audit')
    t.equal((await service.audit('/events?limit=1', body.token)).status, 200)
    const refused = [
      await service.admin('/bulk-user-logs', body.token),
      await service.admin('/tokens', body.token),
      await service.manage('POST', '/tokens', { name: 'more' }, body.token),
      await service.manage('DELETE', `/tokens/${body.id}`, undefined, body.token),
      await service.manage('POST', '/api-keys', { name: 'x' }, body.token),
      await service.admin('/users', body.token),
    ]
    for (const answer of refused) {
      t.match(answer, {
        status: 403,
        body: { code: 'role_required', detail: /^This token is only for audit; / },
      })
    }
  }
})

await t.test(
  "a token for the audit endpoint allows no more than its user's role, and ends when it is revoked",
  async (t) => {
    const { body: ofMember } = await issue(member, { scope: 'audit' })
    t.match(await service.audit('/events', ofMember.token), { status: 403, body: { code: 'role_required' } })
    const { body } = await issue(auditor, { scope: 'audit' })
    t.equal((await service.manage('DELETE', `/tokens/${body.id}`)).status, 204)
    t.equal((await service.audit('/events', body.token)).status, 401)
  },
)

await t.test("the list and the ledger show a token's scope, if it has one", async (t) => {
  const [narrow, full] = [(await issue(auditor, { scope: 'audit' })).body, (await issue(auditor, {})).body]
  t.equal(full.scope, null)
  const { body } = await service.admin('/tokens', auditor.token)
  t.match(body.items.slice(0, 2), [
    { id: full.id, scope: null },
    { id: narrow.id, scope: 'audit' },
  ])
  const [first, second] = (await streamOf(service, auditor.user_id)).slice(-2)
  t.strictSame(first!.data, { token_id: narrow.id, name: 'audit', expires_at: narrow.expires_at, scope: 'audit' })
  t.strictSame(second!.data, { token_id: full.id, name: 'audit', expires_at: full.expires_at })
  for (const scope of ['admin', '', null, 1]) {
    t.match(await issue(auditor, { scope }), { status: 422, body: { errors: [{ pointer: '/scope' }] } })
  }
})

await t.test('the command line gives any user a token for the audit endpoint', async (t) => {
  const environment: Environment = {
    DATABASE_URL: service.urls.serviceUrl,
    DATA_DIR: makeDataDir(t),
    LOG_LEVEL: 'warn',
  }
  const args = ['token', 'issue', '--company', service.company.id, '--name', 'nightly export']
  const issued = await runJson<{ token: string; token_id: string; scope: string | null; expires_at: string }>(
    t,
    [...args, '--user', auditor.user_id, '--scope', 'audit', '--days', '7'],
    environment,
  )
  t.match(issued, { scope: 'audit', token: /^el_user_/, token_id: /^tok_/ })
  t.equal((await service.audit('/events?limit=1', issued.token)).status, 200)
  t.equal((await service.admin('/tokens', issued.token)).status, 403)
  t.match((await streamOf(service, auditor.user_id)).at(-1), {
    actor: 'operator',
    data: { token_id: issued.token_id, scope: 'audit' },
  })
  const unknown = await runCommand(t, [...args, '--user', 'usr_01h455vb4pex5vsknk084sn02q'], environment)
  failsWithLine(t, unknown, 'employee-ledger: No such user exists\n')
  const endless = await runCommand(t, [...args, '--user', auditor.user_id, '--days', '0'], environment)
  t.match(endless.stderr, /It must be a whole number from 1 to 366\./)
  t.not(endless.exitCode, 0)
})

await t.test('administrators give programs several scopes, which everything that names the token shows', async (t) => {
  const scopes = ['logs:read', 'uploads:write']
  const { status, body } = await issue(admin, { name: 'Nightly sync', scopes })
  t.match({ status, body }, { status: 201, body: { scopes, scope: null } })
  t.equal((await service.admin('/bulk-user-logs', body.token)).status, 200)
  t.equal((await service.admin('/uploads', body.token)).status, 200)
  const refused = await service.admin('/employees.csv', body.token)
  const detail = 'This token is only for logs:read and uploads:write; this call needs people:read'
  t.match(refused, { status: 403, body: { code: 'role_required', detail } })
  t.match((await service.admin('/tokens')).body.items[0], { id: body.id, scopes, scope: null })
  const event = (await streamOf(service, admin.user_id)).at(-1)!
  t.match({ version: event.schema_version, data: event.data }, { version: 2, data: { scopes } })
  t.notOk('scope' in event.data!)
})

await t.test(
  'who is no administrator gets no scope of administrators, and nobody an unknown or empty one',
  async (t) => {
    for (const user of [auditor, member]) {
      const refused = await issue(user, { scopes: ['audit', 'logs:read'] })
      t.match(refused, { status: 403, body: { code: 'admin_only' } })
    }
    for (const scopes of [[], ['admin'], ['audit', 'audit'], 'audit', null]) {
      const refused = await issue(admin, { scopes })
      t.match(refused, { status: 422, body: { errors: [{ pointer: /^\/scopes/ }] } }, JSON.stringify(scopes))
    }
  },
)

await t.test('an administrator who loses the role loses the rights of tokens for programs', async (t) => {
  const other = await service.manage('POST', '/users', { email: 'other@example.com', name: 'Other', role: 'admin' })
  const password = 'a long enough password'
  const { token } = other.body.invitation
  await service.manage('POST', '/invitations/accept', { token, password }, null)
  const { body } = await issue({ ...admin, email: 'other@example.com', password }, { scopes: ['logs:read'] })
  t.equal((await service.admin('/bulk-user-logs', body.token)).status, 200)
  await service.manage('PATCH', `/users/${other.body.id}`, { role: 'member' })
  t.match(await service.admin('/bulk-user-logs', body.token), { status: 403, body: { code: 'admin_only' } })
})
