import { existsSync, statSync } from 'node:fs'
import t from 'tap'
import type { Server } from '../support/processes/cli.ts'
import { demoFile, failsWithLine, hasDatabaseServer, makeDataDir, readDemo } from '../support/processes/cli.ts'
import { runCommand, startServer } from '../support/processes/cli.ts'
import { eventually } from '../support/eventually.ts'
import { entryOfCall } from '../support/http/entry-of-call.ts'
import { send } from '../support/service.ts'

const tests = t
const DATA_DIR = makeDataDir(t)
const BESIDE = { DATA_DIR }

let firstServer: Server

await t.test(
  'the first start prints its address, a sample call and credentials, and saves them for its owner',
  async (t) => {
    firstServer = await startServer(tests, ['start'], BESIDE)
    await eventually('it is ready', async () => (await send(firstServer.address, 'GET', '/readyz', {})).status === 200)
    t.ok(existsSync(demoFile(DATA_DIR)), 'who waits until it is ready finds the credentials')
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

await t.test('a second start on the same folder is refused in one line and disturbs nobody', async (t) => {
  failsWithLine(t, await runCommand(t, ['start'], BESIDE), `employee-ledger is already running on ${DATA_DIR}\n`)
  t.match(await send(firstServer.address, 'GET', '/readyz', {}), { status: 200 })
})

await t.test('SIGTERM stops it with exit code 0, and PostgreSQL too', async (t) => {
  t.match(await firstServer.end('SIGTERM'), { exitCode: 0, signal: null })
  t.notOk(hasDatabaseServer(DATA_DIR))
})
