import { existsSync, readFileSync, renameSync } from 'node:fs'
import path from 'node:path'
import t, { type Test } from 'tap'
import { isAlive } from '../../src/files/unfinished.ts'
import { eventually } from '../support/eventually.ts'
import type { Server } from '../support/processes/cli.ts'
import { launch, makeDataDir, readDemo, startServer } from '../support/processes/cli.ts'
import { employee, send } from '../support/service.ts'

/* `npm start` runs its own PostgreSQL: what happens when that ends under it. All tests share the data folder. */

const dataDir = makeDataDir(t)

interface Started {
  server: Server
  key: { api_id: string; api_key: string }
}

async function startWithDemo(t: Test): Promise<Started> {
  const server = await startServer(t, ['start'], { DATA_DIR: dataDir })
  await server.prints(/The credentials are saved in|the credentials of the demo company are in/)
  return { server, key: readDemo(dataDir) }
}

/** The process id of the PostgreSQL server; null if none runs. */
function findPostmaster(): number | null {
  const file = path.join(dataDir, 'postgres', 'postmaster.pid')
  const pid = existsSync(file) ? Number(readFileSync(file, 'utf8').split('\n')[0]) : 0
  return pid > 0 && isAlive(pid) ? pid : null
}

function killPostmaster(): number {
  const pid = findPostmaster()!
  process.kill(pid, 'SIGKILL')
  return pid
}

/** Waits for a server with another process id: a killed one keeps its id until its parent has noticed. */
function awaitNextPostmaster(killed: number): Promise<boolean> {
  return eventually('another server starts', async () => ![null, killed].includes(findPostmaster()))
}

function awaitNoPostmaster(): Promise<boolean> {
  return eventually('no server is left', async () => findPostmaster() === null)
}

/** Creates employees until one of the calls is accepted, and returns its employee's id. */
async function createEmployee({ server, key }: Started): Promise<string> {
  return eventually('a call is accepted', async () => {
    const { status, body } = await send(server.address, 'POST', '/v1/employees', { key, body: employee() })
    return status === 201 && (body.employees[0].id as string)
  })
}

async function readStatus({ server, key }: Started, id: string): Promise<number> {
  return (await send(server.address, 'GET', `/v1/employees/${id}`, { key })).status
}

await t.test(
  'a killed PostgreSQL is started again, with every acknowledged call, as often as it is killed',
  async (t) => {
    const started = await startWithDemo(t)
    const ids = [await createEmployee(started)]
    for (let times = 0; times < 2; times += 1) {
      const killed = killPostmaster()
      // One of its processes may still accept a call.
      ids.push(await createEmployee(started))
      await awaitNextPostmaster(killed)
      ids.push(await createEmployee(started))
    }
    for (const id of ids) t.equal(await readStatus(started, id), 200)
    t.match(await send(started.server.address, 'GET', '/readyz', {}), { status: 200 })
    const { status } = await send(started.server.address, 'GET', '/v1/employees', { key: started.key })
    t.equal(status, 200)
    t.match(await started.server.end('SIGTERM'), { exitCode: 0, signal: null })
    await awaitNoPostmaster()
  },
)

await t.test('two processes on one data folder share the new server, and the last one stops it', async (t) => {
  const started = await startWithDemo(t)
  const other = await startServer(t, ['serve'], { DATA_DIR: dataDir })
  await createEmployee(started)
  await awaitNextPostmaster(killPostmaster())
  const id = await createEmployee({ ...started, server: other })
  await createEmployee(started)
  t.equal(await readStatus(started, id), 200)
  t.match(await started.server.end('SIGTERM'), { exitCode: 0 })
  t.not(findPostmaster(), null, 'the other one still uses it')
  await createEmployee({ ...started, server: other })
  t.match(await other.end('SIGTERM'), { exitCode: 0 })
  await awaitNoPostmaster()
})

await t.test('a SIGTERM while PostgreSQL is being started again ends both', async (t) => {
  const started = await startWithDemo(t)
  killPostmaster()
  t.match(await started.server.end('SIGTERM'), { exitCode: 0, signal: null })
  await awaitNoPostmaster()

  const again = launch(t, ['start'], { DATA_DIR: dataDir })
  await again.prints(/the credentials of the demo company are in/)
  await awaitNextPostmaster(killPostmaster())
  t.match(await again.end('SIGTERM'), { exitCode: 0, signal: null })
  await awaitNoPostmaster()
})

await t.test('a PostgreSQL that cannot be started again ends the process, with a line that says why', async (t) => {
  const { server } = await startWithDemo(t)
  const control = path.join(dataDir, 'postgres', 'global', 'pg_control')
  renameSync(control, `${control}.away`)
  killPostmaster()
  const { exitCode, stderr } = await server.ended
  t.equal(exitCode, 1)
  t.match(stderr.trimEnd().split('\n').at(-1), /^employee-ledger: PostgreSQL does not start in \S+: .*pg_control/)

  renameSync(`${control}.away`, control)
  const again = await startServer(t, ['start'], { DATA_DIR: dataDir })
  t.match(await again.end('SIGTERM'), { exitCode: 0 }, 'once that is mended, it starts')
})
