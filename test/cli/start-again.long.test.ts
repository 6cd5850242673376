import { statSync } from 'node:fs'
import t from 'tap'
import type { AddedUser } from '../../src/accounts/users/change-user.ts'
import type { IssuedApiKey } from '../../src/accounts/api-keys/api-keys.ts'
import type { Ended } from '../support/processes/cli.ts'
import { demoFile, hasDatabaseServer, makeDataDir, readDemo } from '../support/processes/cli.ts'
import { runJson, startServer } from '../support/processes/cli.ts'
import { entryOfCall } from '../support/http/entry-of-call.ts'
import { send } from '../support/service.ts'

// Without a plan, tap ends the file while a server starts between two tests.
t.plan(4)

const DATA_DIR = makeDataDir(t)
const BESIDE = { DATA_DIR }

const firstServer = await startServer(t, ['start'], BESIDE)
await firstServer.prints(/The credentials are saved in (.+)\n/)
const demo = readDemo(DATA_DIR)
await entryOfCall(firstServer, demo, demo.admin.token)
let company: { company_id: string; admin: AddedUser }

await t.test('commands work beside the running server, which sees their changes at once', async (t) => {
  const options = ['--name', 'Beside', '--admin-email', 'Ada@beside.example']
  company = await runJson(t, ['company', 'create', ...options], BESIDE)
  t.match(company, { company_id: /^com_/, name: 'Beside', admin: { email: 'ada@beside.example', role: 'admin' } })
  const issued = await runJson<IssuedApiKey>(
    t,
    [
      'key',
      'issue',
      '--company',
      company.company_id,
      '--name',
      'HR sync',
      '--quota-limit',
      '7',
      '--refresh-period',
      'hourly',
    ],
    BESIDE,
  )
  t.match(issued, { api_id: /^key_/, name: 'HR sync', quota_limit: 7, refresh_period: 'hourly' })
  t.match(await entryOfCall(firstServer, issued, company.admin.token), {
    status: 'Completed',
    key: { name: 'HR sync' },
  })
  const verified = await send(firstServer.address, 'GET', '/v1/auth/verify', { key: issued })
  t.match(verified.body, { company_name: 'Beside', quota_limit: 7, refresh_period: 'hourly' })
})
await firstServer.end('SIGTERM')

await t.test('commands work while no server runs, and leave none running', async (t) => {
  const issued = await runJson<IssuedApiKey>(
    t,
    ['key', 'issue', '--company', company.company_id, '--name', 'Alone'],
    BESIDE,
  )
  t.notOk(hasDatabaseServer(DATA_DIR))
  const listed = await runJson<{ company_id: string; name: string }[]>(t, ['company', 'list'], BESIDE)
  t.match(listed, [{ name: 'Demo Company' }, { company_id: company.company_id, name: 'Beside' }])

  const server = await startServer(t, ['start'], { DATA_DIR, HOST: '::' })
  t.match(await entryOfCall(server, issued, company.admin.token), { key: { name: 'Alone' } })
  await server.end('SIGTERM')
})

await t.test('a later start keeps the data, corrects the address, and prints no secret again', async (t) => {
  const before = readDemo(DATA_DIR)
  const server = await startServer(t, ['start'], BESIDE)
  await server.prints(/credentials of the demo company are in/)
  const demo = readDemo(DATA_DIR)
  t.same(demo, { ...before, base_url: server.address })
  t.not(demo.base_url, before.base_url, 'the port is another one')
  t.equal(statSync(demoFile(DATA_DIR)).mode & 0o777, 0o600)
  const headers = { authorization: `Bearer ${demo.admin.token}` }
  const log = await send(demo.base_url, 'GET', '/admin/v1/bulk-user-logs', { headers })
  t.equal(log.body.items.length, 1, 'the call of the first start is there')

  const { exitCode, stdout }: Ended = await server.end('SIGINT')
  t.equal(exitCode, 0)
  t.notMatch(stdout, demo.api_key)
  t.notMatch(stdout, demo.admin.password)
  t.notOk(hasDatabaseServer(DATA_DIR))
})

await t.test("variables of the shell for other databases don't reach the embedded one", async (t) => {
  const variables = {
    PGHOST: 'nowhere.invalid',
    PGSSLMODE: 'require',
    PGOPTIONS: '-c default_transaction_read_only=on',
    PGDATABASE: 'none',
  }
  const { address, prints, end } = await startServer(t, ['start'], { ...BESIDE, ...variables })
  // It is ready once it has made sure of the demo company.
  await prints(/credentials of the demo company are in/)
  t.equal((await send(address, 'GET', '/readyz', {})).status, 200)
  t.match(await end('SIGTERM'), { exitCode: 0 })
  t.notOk(hasDatabaseServer(DATA_DIR))
})
