import { statSync } from 'node:fs'
import t from 'tap'
import type { AddedUser } from '../../src/accounts/users/add-user.ts'
import type { IssuedApiKey } from '../../src/accounts/api-keys/issue-api-key.ts'
import type { Ended, Server } from '../support/processes/cli.ts'
import { demoFile, failsWithLine, hasDatabaseServer, makeDataDir, readDemo } from '../support/processes/cli.ts'
import { runCommand, runJson, startServer } from '../support/processes/cli.ts'
import { eventually } from '../support/eventually.ts'
import { employee, send } from '../support/service.ts'

const tests = t
const DATA_DIR = makeDataDir(t)
const BESIDE = { DATA_DIR }

/** Creates an employee with a key, and gives the entry of that call. */
async function entryOfCall(server: Server, key: { api_id: string; api_key: string }, token: string) {
  const { status, body } = await send(server.address, 'POST', '/v1/employees', { key, body: employee() })
  if (status !== 201) throw new Error(JSON.stringify(body))
  return eventually('the call is in the log', async () => {
    const headers = { authorization: `Bearer ${token}` }
    const answer = await send(server.address, 'GET', `/admin/v1/bulk-user-logs/${body.log_id}`, { headers })
    return answer.status === 200 && answer.body
  })
}

let firstServer: Server
let company: { company_id: string; admin: AddedUser }

await t.test(
  'the first start tells where it listens, how to call it and who may, and keeps that for its owner',
  async (t) => {
    firstServer = await startServer(tests, ['start'], BESIDE)
    const file = await firstServer.prints(/The credentials are saved in (.+)\n/)
    t.equal(file, demoFile(DATA_DIR))
    t.equal(statSync(file).mode & 0o777, 0o600)
    const demo = readDemo(DATA_DIR)
    t.equal(demo.base_url, firstServer.address)
    const { base_url, api_id, api_key, admin, auditor, member } = demo
    await firstServer.prints(`curl -sS ${base_url}/v1/employees -H 'x-api-id: ${api_id}' -H 'x-api-key: ${api_key}'`)
    for (const { email, password } of [admin, auditor, member])
      await firstServer.prints(`  ${email.padEnd(20)}  ${password}\n`)
    t.match(await send(demo.base_url, 'GET', '/readyz', {}), { status: 200 })
    t.match(await entryOfCall(firstServer, demo, demo.admin.token), { status: 'Completed', counts: { total: 1 } })
  },
)

await t.test('commands work beside the running server, and what they make is good at once', async (t) => {
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

await t.test('a second start on the same folder is refused in one line and disturbs nobody', async (t) => {
  failsWithLine(t, await runCommand(t, ['start'], BESIDE), `employee-ledger is already running on ${DATA_DIR}\n`)
  t.match(await send(firstServer.address, 'GET', '/readyz', {}), { status: 200 })
})

await t.test('SIGTERM ends it with exit code 0 and takes PostgreSQL along', async (t) => {
  t.match(await firstServer.end('SIGTERM'), { exitCode: 0, signal: null })
  t.notOk(hasDatabaseServer(DATA_DIR))
})

await t.test('commands work while no server runs, and leave none behind', async (t) => {
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

await t.test(
  'a later start goes on with the same data, corrects the address, and prints no secret again',
  async (t) => {
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
  },
)
