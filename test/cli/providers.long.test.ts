import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import path from 'node:path'
import t from 'tap'
import { placeOfSecret, readProvider } from '../../src/accounts/providers/providers.ts'
import { toUuid } from '../../src/domain/ids.ts'
import { createSecretBox } from '../../src/accounts/secrets/secret-box.ts'
import { browse, cookieOf } from '../support/http/sessions.ts'
import { readEvents } from '../support/ledger/company-events.ts'
import { startTestProvider } from '../support/providers/test-provider.ts'
import type { Environment } from '../support/processes/cli.ts'
import { failsWithLine, makeDataDir, runCommand, runJson } from '../support/processes/cli.ts'
import { startService } from '../support/service.ts'

const PUBLIC_URL = 'https://ledger.example.com'
const service = await startService(t)
const provider = await startTestProvider(t)
const { pool, company } = service
const dataDir = makeDataDir(t)
const ENVIRONMENT: Environment = {
  DATABASE_URL: service.urls.serviceUrl,
  DATA_DIR: dataDir,
  LOG_LEVEL: 'warn',
  PUBLIC_URL,
  OUTGOING_PRIVATE: '1',
  SECRETS_KEY: service.config.SECRETS_KEY!,
}
const secretFile = path.join(path.dirname(dataDir), 'secret.txt')
writeFileSync(secretFile, 'from the file\n')
const SETTINGS = ['--name', 'Okta', '--issuer', provider.issuer, '--client-id', 'ledger']
const SECRET = ['--secret-file', secretFile]

const words = (command: string, ...more: string[]) => ['provider', command, ...more, '--company', company.id]
const run = <Shown = Record<string, unknown>>(command: string, ...more: string[]) =>
  runJson<Shown>(t, words(command, ...more), ENVIRONMENT)
const fails = async (line: RegExp | string, command: string, ...more: string[]) =>
  failsWithLine(t, await runCommand(t, words(command, ...more), ENVIRONMENT), line)
const isWrongUsage = async (line: string, command: string, ...more: string[]) =>
  failsWithLine(t, await runCommand(t, words(command, ...more), ENVIRONMENT), line, 2)

async function readSecret(): Promise<string> {
  const { id, secret } = (await readProvider(pool, company.id))!
  const box = createSecretBox([Buffer.from(service.config.SECRETS_KEY!, 'base64')])
  return box.decrypt(secret, placeOfSecret(id))
}

await t.test('before a provider is set up, wrong input gets one clear line', async (t) => {
  await fails('employee-ledger: The company has no identity provider\n', 'show')
  await fails('employee-ledger: The company has no identity provider\n', 'use', 'off')
  await fails('employee-ledger: name is required; issuer is required; client_id is required\n', 'set')
  await isWrongUsage('employee-ledger: client_secret needs --secret-file: - reads standard input\n', 'set', ...SETTINGS)
  await fails(/the file of the secret cannot be read: ENOENT/, 'set', ...SETTINGS, '--secret-file', '/nowhere')
  await fails('secret must have at most 1024 characters\n', 'set', ...SETTINGS, '--secret-file', process.execPath)
  await fails('roles must have at least one value', 'set', ...SETTINGS, ...SECRET, '--role-claim', 'groups')
  await fails('role_claim is required', 'set', ...SETTINGS, ...SECRET, '--role', 'a=admin')
  const set = words('set', ...SETTINGS, ...SECRET)
  const nowhere = await runCommand(t, set, { ...ENVIRONMENT, PUBLIC_URL: 'http://ledger.example.com' })
  failsWithLine(t, nowhere, /PUBLIC_URL must be set to the https address/)
  const keyless = await runCommand(t, set, { ...ENVIRONMENT, SECRETS_KEY: '' })
  failsWithLine(t, keyless, 'employee-ledger: The operator has not configured a key that protects secrets\n')
  const http = await runCommand(t, set, { ...ENVIRONMENT, OUTGOING_PRIVATE: '0' })
  failsWithLine(t, http, 'employee-ledger: issuer must start with https://\n')
  const usage = await runCommand(t, words('set', '--role', 'a=boss'), ENVIRONMENT)
  t.match(usage.stderr, /It must be a value, =, and one of admin, auditor, member/)
  t.equal(await readProvider(pool, company.id), null)
})

await t.test('a provider is set up switched off, and its secret comes from a file and is never shown', async (t) => {
  const shown = await run('set', ...SETTINGS, ...SECRET, '--role-claim', 'groups', '--role', 'a=admin', 'b=c=auditor')
  t.match(shown, {
    name: 'Okta',
    issuer: provider.issuer,
    client_id: 'ledger',
    client_auth: 'client_secret',
    use: 'off',
    creates_users: false,
    role_claim: 'groups',
    roles: ['a=admin', 'b=c=auditor'],
    redirect_uri: `${PUBLIC_URL}/sign-in/${company.id}/callback`,
    jwks_uri: null,
  })
  t.strictSame(await run('show'), shown)
  t.equal(await readSecret(), 'from the file')
  t.notOk(JSON.stringify(shown).includes('from the file'))
  t.match(await run('set', '--creates-users', 'yes'), { creates_users: true, roles: ['a=admin', 'b=c=auditor'] })
  t.match(await run('set', '--no-role-claim'), { role_claim: null, roles: [], creates_users: true })
  await fails('use `provider replace-secret` for another secret', 'set', ...SECRET)
})

await t.test('a secret is replaced from standard input, or by a key pair', async (t) => {
  const child = spawn(process.execPath, ['src/main.ts', ...words('replace-secret', '--secret-file', '-')], {
    env: { PATH: process.env['PATH'], ...ENVIRONMENT },
    stdio: ['pipe', 'ignore', 'pipe'],
  })
  child.stdin.end('from standard input\n')
  const [stderr] = await Promise.all([text(child.stderr), once(child, 'close')])
  t.match({ stderr, code: child.exitCode }, { stderr: '', code: 0 })
  t.equal(await readSecret(), 'from standard input')
  await isWrongUsage(
    'private_key_jwt takes no --secret-file',
    'replace-secret',
    '--client-auth',
    'private_key_jwt',
    ...SECRET,
  )
  const shown = await run('replace-secret', '--client-auth', 'private_key_jwt')
  t.match(shown, { client_auth: 'private_key_jwt', jwks_uri: `${PUBLIC_URL}/sign-in/${company.id}/jwks` })
  const { d, kid } = JSON.parse(await readSecret()) as { d: string; kid: string }
  t.ok(d)
  t.match(await browse(service, `/sign-in/${company.id}/jwks`), { text: kid })
  await run('replace-secret', '--client-auth', 'client_secret', ...SECRET)
})

await t.test('what the provider publishes is shown, and why it cannot be', async (t) => {
  const { found } = await run<{ found: string[] }>('check')
  t.ok(found.length > 0)
  const { stdout } = await runCommand(t, words('check'), ENVIRONMENT)
  t.equal(stdout, found.map((line) => `${line}\n`).join(''))
  const closed = await runCommand(t, words('check'), { ...ENVIRONMENT, OUTGOING_PRIVATE: '0' })
  t.equal(closed.exitCode, 1)
  t.match(closed.stderr, /^employee-ledger: .+\n$/)
})

await t.test('the operator requires a provider, and opens a company that it has locked out', async (t) => {
  const { user_id: admin } = company.admin
  await run('use', 'optional')
  await isWrongUsage('`provider use required` needs --break-glass', 'use', 'required')
  await isWrongUsage('needs --break-glass; no other use accepts it', 'use', 'optional', '--break-glass', admin)
  await fails('No administrator is linked to an account at this issuer yet', 'use', 'required', '--break-glass', admin)
  await pool.query(`update users set issuer = $2, subject = 'x' where company_id = $1 and user_id = $3`, [
    ...[toUuid(company.id), provider.issuer, toUuid(admin)],
  ])
  const { user_id: member } = company.member
  await fails('break_glass must be an administrator who has a password', 'use', 'required', '--break-glass', member)
  t.match(await run('use', 'required', '--break-glass', admin), { use: 'required', break_glass: admin })
  await fails('The provider is required; turn it off before you remove it', 'remove')
  await fails('can only be changed while the provider is off', 'set', '--client-id', 'other')

  await t.rejects(cookieOf(service, company.auditor), 'a password does not let in')
  const off = words('use', 'off')
  const { PUBLIC_URL: _, ...rest } = ENVIRONMENT
  t.equal((await runCommand(t, off, rest)).exitCode, 0, 'also without the address of the service')
  t.ok(await cookieOf(service, company.auditor))
  t.match(await run('remove'), { use: 'removed' })
  const told = (await readEvents(service.db, company.id)).filter(({ type }) => type.startsWith('IdentityProvider'))
  t.equal(told.at(-1)!.type, 'IdentityProviderRemoved')
  t.ok(told.every(({ actor }) => actor === 'operator'))
  t.notMatch(JSON.stringify(told), /from the file|standard input/, 'no event contains a secret')
})
