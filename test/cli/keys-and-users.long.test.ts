import t from 'tap'
import type { Environment } from '../support/processes/cli.ts'
import { toUuid } from '../../src/domain/ids.ts'
import { failsWithLine, makeDataDir, runCommand, runJson } from '../support/processes/cli.ts'
import { employee, startService } from '../support/service.ts'

const service = await startService(t)
const { id: company, key, auditor, admin } = service.company
const ENVIRONMENT: Environment = { DATABASE_URL: service.urls.serviceUrl, DATA_DIR: makeDataDir(t), LOG_LEVEL: 'warn' }
const ofKey = ['--company', company, '--key', key.api_id]

interface ShownKey {
  status: string
  name: string
  quota_limit: number
  api_key?: string
}

const status = async (secret = key.api_key) =>
  (await service.call('POST', '/v1/employees', { body: employee(), key: { ...key, api_key: secret } })).status

await t.test('a key is renamed, disabled and enabled, and the running API applies it at once', async (t) => {
  const edited = await runJson<ShownKey>(
    t,
    ['key', 'edit', ...ofKey, '--name', 'Nightly', '--quota-limit', '500'],
    ENVIRONMENT,
  )
  t.match(edited, { name: 'Nightly', quota_limit: 500, status: 'active' })
  t.match(await runJson<ShownKey>(t, ['key', 'disable', ...ofKey], ENVIRONMENT), { status: 'disabled' })
  t.equal(await status(), 403)
  t.match(await runJson<ShownKey>(t, ['key', 'enable', ...ofKey], ENVIRONMENT), { status: 'active' })
  t.equal(await status(), 201)
})

await t.test('a key is issued narrowed and widened again, and the running API applies it at once', async (t) => {
  const narrow = ['--scope', 'employees:read', '--network', '192.0.2.7', '2001:DB8::/32', '--expires-at']
  const issued = await runJson<ShownKey & { api_id: string }>(
    t,
    ['key', 'issue', '--company', company, '--name', 'Narrow', ...narrow, '2099-01-01T01:00+01:00'],
    ENVIRONMENT,
  )
  t.match(issued, {
    scopes: ['employees:read'],
    expires_at: '2099-01-01T00:00:00.000Z',
    allowed_networks: ['192.0.2.7/32', '2001:db8::/32'],
  })
  const its = { api_id: issued.api_id, api_key: issued.api_key! }
  const codeOf = async () => (await service.call('POST', '/v1/employees', { body: employee(), key: its })).body.code
  const edit = (...options: string[]) =>
    runJson<ShownKey>(t, ['key', 'edit', '--company', company, '--key', issued.api_id, ...options], ENVIRONMENT)
  t.equal(await codeOf(), 'address_not_allowed')
  t.match(await edit('--network', 'any'), { allowed_networks: null, scopes: ['employees:read'] })
  t.equal(await codeOf(), 'scope_missing')
  t.match(await edit('--scope', 'employees:write', 'employees:read', '--expires-at', 'never'), {
    scopes: ['employees:read', 'employees:write'],
    expires_at: null,
  })
  t.equal(await codeOf(), undefined)
  const past = ['key', 'edit', ...ofKey, '--expires-at', '2020-01-01T00:00:00Z']
  const line = 'employee-ledger: expires_at must be in the future, and before the year 10000\n'
  failsWithLine(t, await runCommand(t, past, ENVIRONMENT), line)
  await runJson(t, ['key', 'revoke', '--company', company, '--key', issued.api_id], ENVIRONMENT)
})

await t.test('a rotated key works with both secrets, a revoked one with none', async (t) => {
  const rotated = await runJson<ShownKey>(t, ['key', 'rotate', ...ofKey, '--overlap', '3600'], ENVIRONMENT)
  t.strictSame([await status(), await status(rotated.api_key)], [201, 201])
  const keys = await runJson<{ api_id: string }[]>(t, ['key', 'list', '--company', company], ENVIRONMENT)
  const listed = keys.find(({ api_id: id }) => id === key.api_id)
  t.match(listed, { secret_last_four: rotated.api_key!.slice(-4), old_secret_last_four: key.api_key.slice(-4) })
  await runJson(t, ['key', 'revoke', ...ofKey], ENVIRONMENT)
  t.strictSame([await status(), await status(rotated.api_key)], [401, 401])
  t.match(await runJson(t, ['key', 'list', '--company', company], ENVIRONMENT), [
    { name: 'Narrow', scopes: ['employees:read', 'employees:write'] },
    { api_id: key.api_id, status: 'revoked', expires_at: null, allowed_networks: null },
  ])
})

await t.test("a user's role and status are changed, and tokens follow at once", async (t) => {
  const invited = await runJson<{ user_id: string; one_time_token: string; status: string }>(
    t,
    ['user', 'invite', '--company', company, '--email', 'new@acme.example', '--name', 'New', '--role', 'member'],
    ENVIRONMENT,
  )
  t.equal(invited.status, 'pending')
  t.ok(invited.one_time_token)
  const of = (id: string) => ['--company', company, '--user', id]
  await runJson(t, ['user', 'role', ...of(auditor.user_id), '--role', 'admin'], ENVIRONMENT)
  t.equal((await service.admin('/bulk-user-logs', auditor.token)).status, 200)
  await runJson(t, ['user', 'remove', ...of(auditor.user_id)], ENVIRONMENT)
  t.equal((await service.admin('/bulk-user-logs', auditor.token)).status, 401)
  const users = await runJson<{ user_id: string; status: string }[]>(
    t,
    ['user', 'list', '--company', company],
    ENVIRONMENT,
  )
  t.strictSame(
    users.filter(({ user_id: id }) => id === auditor.user_id),
    [],
    'a removed user is not listed',
  )
  const issuing = ['token', 'issue', ...of(admin.user_id), '--name', 'Sync', '--scope', 'audit']
  const { stdout } = await runCommand(t, issuing, ENVIRONMENT)
  t.strictSame(stdout.match(/^scope.*$/gm), ['scopes      ["audit"]'], 'people read the scopes once')
  t.match(await runJson(t, issuing, ENVIRONMENT), { scopes: ['audit'], scope: 'audit' })
  const lastAdmin = await runCommand(t, ['user', 'remove', ...of(admin.user_id)], ENVIRONMENT)
  failsWithLine(t, lastAdmin, /^employee-ledger: /)
})

await t.test(
  'invitations, resets and tokens send messages with the settings of the service, and none without',
  async (t) => {
    const settings = {
      SMTP_URL: 'smtp://localhost:1',
      MAIL_FROM: 'ledger@ledger.example',
      PUBLIC_URL: 'http://localhost',
    }
    const mailing = { ...ENVIRONMENT, ...settings, SECRETS_KEY: service.config.SECRETS_KEY! }
    const invite = (email: string, environment: Environment) =>
      runJson<{ user_id: string; emailed: boolean }>(
        t,
        ['user', 'invite', '--company', company, '--email', email, '--name', 'Mia', '--role', 'member'],
        environment,
      )
    t.equal((await invite('silent@acme.example', ENVIRONMENT)).emailed, false)
    const { user_id: id, emailed } = await invite('mia@acme.example', mailing)
    t.equal(emailed, true)
    const of = ['--company', company, '--user', id]
    t.match(await runJson(t, ['user', 'reset', ...of], mailing), { emailed: true })
    await runJson(t, ['token', 'issue', ...of, '--name', 'CI'], mailing)
    const { rows } = await service.pool.query<{ kind: string; user_id: string }>('select kind, user_id from emails')
    t.strictSame(rows.map(({ kind }) => kind).toSorted(), ['invitation', 'invitation', 'token_issued'])
    t.ok(rows.every(({ user_id: to }) => to === toUuid(id)))
    failsWithLine(
      t,
      await runCommand(t, ['user', 'reset', ...of], { ...mailing, SECRETS_KEY: '' }),
      /^employee-ledger: SMTP_URL requires SECRETS_KEY/,
    )
  },
)

await t.test('an unknown id is a one-line error', async (t) => {
  const unknown = 'key_01h455vb4pex5vsknk084sn02q'
  const ended = await runCommand(t, ['key', 'disable', '--company', company, '--key', unknown], ENVIRONMENT)
  failsWithLine(t, ended, 'employee-ledger: No such API key exists\n')
})

await t.test('lists of keys and users say when they are not complete', async (t) => {
  const uuid = toUuid(company)
  await service.pool.query(
    `insert into users (company_id, user_id, version, email, name, role, created_at)
     select $1, gen_random_uuid(), 1, format('user-%s@acme.example', n), 'User', 'member', now()
     from generate_series(1, 10000) n`,
    [uuid],
  )
  await service.pool.query(
    `insert into api_keys (company_id, api_id, version, name, secret_hash, is_enabled, is_revoked, quota_limit,
       refresh_period, scopes, created_at)
     select $1, gen_random_uuid(), 1, 'Key', sha256(n::text::bytea), true, false, 1, 'daily', '{employees:read}', now()
     from generate_series(1, 10000) n`,
    [uuid],
  )
  await service.pool.query(
    `insert into api_key_usage (company_id, api_id, window_start, requests_made)
     select company_id, api_id, now(), 0 from api_keys where company_id = $1 on conflict do nothing`,
    [uuid],
  )
  for (const what of ['key', 'user']) {
    const { stdout, stderr } = await runCommand(t, [what, 'list', '--company', company, '--json'], ENVIRONMENT)
    t.equal(JSON.parse(stdout).length, 10_000)
    t.equal(stderr, `employee-ledger: only the newest 10,000 ${what}s are listed\n`)
  }
})
