import { generateKeyPairSync } from 'node:crypto'
import { existsSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { once } from 'node:events'
import t from 'tap'
import type { AddedUser } from '../../src/accounts/users/change-user.ts'
import type { IssuedApiKey } from '../../src/accounts/api-keys/api-keys.ts'
import {
  demoFile,
  failsWithLine,
  makeDataDir,
  readDemo,
  runCommand,
  runJson,
  startServer,
  startWorker,
} from '../support/processes/cli.ts'
import { createEmptyDatabase } from '../support/postgres/empty-database.ts'
import { eventually } from '../support/eventually.ts'
import { freePort } from '../support/processes/free-port.ts'
import { employee, send } from '../support/service.ts'

const urls = await createEmptyDatabase(t)
const DATA_DIR = makeDataDir(t)
const SIGNING_KEY = generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }) as string
const SERVICE = { DATABASE_URL: urls.serviceUrl, DATA_DIR, SIGNING_KEY, LOG_LEVEL: 'warn' }
const WITH_OWNER = { ...SERVICE, MIGRATE_DATABASE_URL: urls.ownerUrl }

await t.test('a database without tables is refused in one line, and migrate fixes it', async (t) => {
  const hint = 'employee-ledger: the database is not set up for this version: run `npm run --silent cli -- migrate`\n'
  for (const command of [['serve'], ['work'], ['company', 'list', '--json']]) {
    failsWithLine(t, await runCommand(t, command, SERVICE), hint)
  }
  const denied = await runCommand(t, ['migrate'], SERVICE)
  failsWithLine(t, denied, /^employee-ledger: the role \S+ may not create tables: set MIGRATE_DATABASE_URL to the role/)
  const elsewhere = await createEmptyDatabase(t)
  const wrongOwners: [string, RegExp][] = [
    [elsewhere.ownerUrl, /^employee-ledger: MIGRATE_DATABASE_URL and DATABASE_URL lead to different databases/],
    [
      Object.assign(new URL(urls.ownerUrl), { password: 'guessed' }).href,
      /^employee-ledger: the database of MIGRATE_DATABASE_URL cannot be used: password authentication failed/,
    ],
  ]
  for (const [MIGRATE_DATABASE_URL, line] of wrongOwners)
    failsWithLine(t, await runCommand(t, ['migrate'], { ...SERVICE, MIGRATE_DATABASE_URL }), line)
  const migrated = await runCommand(t, ['migrate'], WITH_OWNER)
  t.match(migrated, {
    exitCode: 0,
    stdout: /^migration 0001-first-release: done\n[^]*the database is up to date\n$/,
    stderr: '',
  })
  t.match(await runCommand(t, ['migrate'], WITH_OWNER), {
    exitCode: 0,
    stdout: 'the database is up to date\n',
    stderr: '',
  })
  t.same(await runJson(t, ['company', 'list'], SERVICE), [])
})

await t.test('a call to one process gets its log entry from another', async (t) => {
  const [server, worker] = [await startServer(t, ['serve'], SERVICE), await startWorker(t, SERVICE)]
  const create = ['company', 'create', '--name', 'Acme', '--admin-email', 'ada@acme.example']
  const { company_id: id, admin } = await runJson<{ company_id: string; admin: AddedUser }>(t, create, SERVICE)
  const key = await runJson<IssuedApiKey>(t, ['key', 'issue', '--company', id, '--name', 'HR sync'], SERVICE)
  const auditor = await runJson<AddedUser>(
    t,
    ['user', 'add', '--company', id, '--email', 'otto@acme.example', '--name', 'Otto', '--role', 'auditor'],
    SERVICE,
  )

  const { body } = await send(server.address, 'POST', '/v1/employees', { key, body: employee() })
  const read = (token: string) => {
    const headers = { authorization: `Bearer ${token}` }
    return send(server.address, 'GET', `/admin/v1/bulk-user-logs/${body.log_id}`, { headers })
  }
  const found = await eventually('the entry is there', async () => {
    const answer = await read(admin.token)
    return answer.status === 200 && answer
  })
  t.match(found.body, { id: body.log_id, status: 'Completed', counts: { total: 1 } })
  t.match(await read(auditor.token), { status: 403, body: { code: 'admin_only' } }, 'the command determines the role')
  await eventually('nothing lags', async () => {
    const projections = await runJson<{ lagging: number }[]>(t, ['projections', 'list'], SERVICE)
    return projections.every(({ lagging }) => lagging === 0)
  })

  for (const process of [server, worker]) t.match(await process.end('SIGTERM'), { exitCode: 0, stderr: '' })
})

await t.test('start creates a demo on your own database only on request', async (t) => {
  const plain = await startServer(t, ['start'], SERVICE)
  t.match(await plain.end('SIGTERM'), {
    exitCode: 0,
    stdout: /^employee-ledger listens on \S+\nemployee-ledger is stopping\n$/,
    stderr: '',
  })
  t.notOk(existsSync(demoFile(DATA_DIR)))
  const ended = await runCommand(t, ['demo', 'seed'], SERVICE)
  failsWithLine(t, ended, /^employee-ledger: there is no demo company; run `npm start`/)

  const withDemo = await startServer(t, ['start', '--demo'], SERVICE)
  await withDemo.prints('The credentials are saved in')
  const demo = readDemo(DATA_DIR)
  t.match(await send(demo.base_url, 'GET', '/v1/auth/verify', { key: demo }), {
    body: { company_name: 'Demo Company' },
  })
  await withDemo.end('SIGTERM')
})

await t.test('an unreadable demo file is a one-line error', async (t) => {
  writeFileSync(demoFile(DATA_DIR), '{"base_url":')
  failsWithLine(
    t,
    await runCommand(t, ['demo', 'seed'], SERVICE),
    /^employee-ledger: .+demo-credentials.json cannot be read \(/,
  )
})

await t.test('without a signing key it runs, and logs once that nothing is signed', async (t) => {
  const server = await startServer(t, ['serve'], { ...SERVICE, SIGNING_KEY: '' })
  t.equal((await send(server.address, 'GET', '/livez', {})).status, 200)
  const { exitCode, stderr } = await server.end('SIGTERM')
  t.equal(exitCode, 0)
  t.match(stderr, /^[^\n]*no signing key is set \(SIGNING_KEY_FILE or SIGNING_KEY\)[^\n]*\n$/)
  failsWithLine(
    t,
    await runCommand(t, ['serve'], { ...SERVICE, SIGNING_KEY: 'nonsense' }),
    /SIGNING_KEY does not contain a private key in PEM/,
  )
})

await t.test('a port in use is a one-line error', async (t) => {
  const other = createServer().listen(0, '127.0.0.1')
  t.teardown(() => other.close())
  await once(other, 'listening')
  const PORT = String((other.address() as AddressInfo).port)
  for (const command of ['start', 'serve']) {
    const ended = await runCommand(t, [command], { ...SERVICE, PORT })
    failsWithLine(t, ended, `employee-ledger: port ${PORT} of 127.0.0.1 is in use: set PORT to another one\n`)
  }
  const METRICS_PORT = String(await freePort())
  const both = await runCommand(t, ['serve'], { ...SERVICE, PORT: METRICS_PORT, METRICS_PORT })
  failsWithLine(t, both, /is in use: set PORT and METRICS_PORT to different ports\n$/)
  const elsewhere = await runCommand(t, ['serve'], { ...SERVICE, HOST: '203.0.113.77' })
  failsWithLine(t, elsewhere, /^employee-ledger: 203\.0\.113\.77 is not an address of this machine/)
})
