import path from 'node:path'
import t, { type Test } from 'tap'
import type { IssuedApiKey } from '../../src/accounts/api-keys/api-keys.ts'
import { takeBaseBackup } from '../backup/base-backup.ts'
import { ask, startStandby } from '../backup/recovery.ts'
import { openCluster } from '../faults/cluster.ts'
import { eventually } from '../support/eventually.ts'
import { openDatabaseLine } from '../support/lines/database-line.ts'
import { makeDataDir, runCommand, runJson, startServer, startWorker } from '../support/processes/cli.ts'
import { employee, send } from '../support/service.ts'

/*
 * A failover that goes back: the address leads to a standby for a while, which answers reads and takes no writes, and
 * then to the primary again. Connections to the standby stay open.
 */

const folder = makeDataDir(t)
const primary = await openCluster(folder, { wal_keep_size: '1GB' })
t.teardown(() => primary.stop())
const backup = path.join(folder, 'base.tar')
await takeBaseBackup(primary, backup)
const standby = await startStandby(primary, backup, path.join(folder, 'standby'))
t.teardown(() => standby.stop())
let leadsTo = primary
const line = await openDatabaseLine(t, () => leadsTo.port())
const SETTINGS = { DATABASE_URL: line.through(primary.urls.serviceUrl), DATA_DIR: makeDataDir(t), LOG_LEVEL: 'warn' }

const create = ['company', 'create', '--name', 'Acme', '--admin-email', 'ada@acme.example']
const { company_id: company } = await runJson<{ company_id: string }>(t, create, SETTINGS)
const key = await runJson<IssuedApiKey>(t, ['key', 'issue', '--company', company, '--name', 'HR sync'], SETTINGS)

/** Creates an employee, and reads the list at once. */
async function createAndList(address: string): Promise<{ status: number; isListed: boolean }> {
  const made = await send(address, 'POST', '/v1/employees', { key, body: employee() })
  if (made.status !== 201) return { status: made.status, isListed: false }
  const [{ id }] = made.body.employees as [{ id: string }]
  const query = `limit=200&min_position=${made.headers['x-ledger-position']}`
  const { status, body } = await send(address, 'GET', `/v1/employees?${query}`, { key })
  return { status, isListed: body.items?.some((one: { id: string }) => one.id === id) }
}

const LISTED = { status: 200, isListed: true }
const isReady = async (address: string) => (await send(address, 'GET', '/readyz', {})).status === 200

/** Waits until the standby has what the primary has. */
async function awaitStandby(): Promise<void> {
  const { at } = (await ask<{ at: string }>(primary, 'select pg_current_wal_lsn()::text as at'))!
  await eventually('the standby has all', async () => {
    const replayed = await ask<{ has: boolean }>(standby, `select pg_last_wal_replay_lsn() >= '${at}' as has`)
    return replayed?.has
  })
}

async function findWrites(t: Test): Promise<unknown> {
  const { stdout } = await runCommand(t, ['doctor', '--json'], SETTINGS)
  const { findings } = JSON.parse(stdout) as { findings: { check: string; level: string; found: string }[] }
  return findings.find(({ check }) => check === 'writes')
}

await t.test('no connection stays on a standby, and nothing reads from one', async (t) => {
  const { address } = await startServer(t, ['serve'], SETTINGS)
  await startWorker(t, SETTINGS)
  t.strictSame(await createAndList(address), LISTED)
  t.match(await findWrites(t), { level: 'ok' })
  await awaitStandby()

  leadsTo = standby
  line.reset()
  await eventually('the service says that it cannot serve', async () => !(await isReady(address)))
  t.equal((await createAndList(address)).status, 503)
  const read = await send(address, 'GET', '/v1/employees', { key })
  t.equal(read.status, 503, 'a standby may not have the newest employees')
  t.match(await findWrites(t), { level: 'fail', found: 'the server is a standby' })
  const exported = await runCommand(t, ['company', 'list', '--json'], SETTINGS)
  t.match(JSON.parse(exported.stdout), [{ company_id: company }], 'a command that only reads works on a standby')

  leadsTo = primary
  await eventually('the service is ready again', () => isReady(address))
  await eventually('calls are accepted', async () => (await createAndList(address)).isListed)
  for (let times = 0; times < 30; times += 1) t.strictSame(await createAndList(address), LISTED)
  const connections = await ask<{ count: number }>(
    standby,
    `select count(*)::integer as count from pg_stat_activity where application_name like 'employee-ledger%'`,
  )
  t.equal(connections?.count, 0)
})

await t.test('a server that turns read-only under open connections is left once a write has failed', async (t) => {
  const { address } = await startServer(t, ['serve'], SETTINGS)
  await startWorker(t, SETTINGS)
  t.strictSame(await createAndList(address), LISTED)
  // As some providers do when the disk is full.
  const setReadOnly = async (isOn: boolean) => {
    await ask(primary, `alter system set default_transaction_read_only = ${isOn ? 'on' : 'off'}`)
    await ask(primary, 'select pg_reload_conf()')
  }
  await setReadOnly(true)
  await eventually('calls are refused', async () => (await createAndList(address)).status === 503)
  t.notOk(await isReady(address))
  t.match(await findWrites(t), { level: 'fail', found: 'the server accepts no writes' })
  await setReadOnly(false)
  await eventually('the service is ready again', () => isReady(address))
  await eventually('calls are accepted', async () => (await createAndList(address)).isListed)
})
