import t from 'tap'
import type { Cluster } from '../../src/postgres/cluster/cluster.ts'
import { openCompanyPool } from '../../src/postgres/cluster/company-connections.ts'
import type { Machine } from '../../src/postgres/cluster/machine.ts'
import { MachineDownError, openMachine } from '../../src/postgres/cluster/machine.ts'
import { isTransient } from '../../src/postgres/database-errors.ts'
import { eventually } from '../support/eventually.ts'
import { openDatabaseLine } from '../support/lines/database-line.ts'
import { runSql } from '../support/postgres/run-sql.ts'
import { watchStatements } from '../support/postgres/watch-clients.ts'
import { createTestDatabase } from '../support/postgres/test-database.ts'

const { serviceUrl, superUrl, name } = await createTestDatabase(t)
const line = await openDatabaseLine(t, () => Number(new URL(serviceUrl).port))
/** No test fails because a machine is slow. */
const PATIENCE_MS = 60_000
const HANGS_AFTER_MS = 4_000
const POOL = { url: serviceUrl, name: 'test', max: 1 }

const changes: boolean[] = []
const hung = openMachine({ name: 'one', group: 1, url: line.through(serviceUrl) }, HANGS_AFTER_MS, (isDown) =>
  changes.push(isDown),
)
const healthy = openMachine({ name: 'other', group: 2, url: serviceUrl }, PATIENCE_MS, () =>
  t.fail('the other machine is never down'),
)
t.teardown(() => Promise.all([hung.close(), healthy.close()]))

await t.test('a machine whose connections nobody uses is asked less often whether it answers', async (t) => {
  const statements = watchStatements(t)
  const pings = (machine: Machine) =>
    statements.filter(({ text, server }) => text === 'select 1' && machine.url.includes(`@${server}/`)).length
  const client = await hung.connect(POOL)
  await eventually('the machine in use was asked', async () => pings(hung) >= 16)
  t.ok(pings(healthy) > 0 && pings(healthy) <= 12, `the other one ${pings(healthy)} times`)
  client.release()
})

await t.test('when a machine hangs, running statements, waiting ones and new ones fail, and only there', async (t) => {
  const [used, other] = [await hung.connect(POOL), await healthy.connect(POOL)]
  await used.query('select 1')
  const waiting = hung.connect(POOL).catch((error: unknown) => error)
  line.silence(true)
  const running = used.query('select 1').catch((error: unknown) => error)
  for (const failed of [running, waiting]) t.ok(isTransient(await failed), 'the caller is told to try again')
  used.release(true)
  t.equal(hung.isDown, true)
  await t.rejects(hung.connect(POOL), { name: 'MachineDownError' })
  t.match(await other.query('select 1 as one'), { rows: [{ one: 1 }] })
  other.release()
})

await t.test('a machine is used again as soon as it answers', async (t) => {
  line.silence(false)
  await eventually('the machine is up', async () => !hung.isDown)
  const client = await hung.connect(POOL)
  t.match(await client.query('select 1 as one'), { rows: [{ one: 1 }] })
  client.release()
  t.strictSame(changes, [true, false])
})

await t.test('a machine that was down is used again when it answers that it has too many connections', async (t) => {
  line.silence(true)
  await eventually('the machine is down', async () => hung.isDown)
  await runSql(superUrl, `alter database ${name} connection limit 0`)
  line.silence(false)
  await eventually('the machine is up', async () => !hung.isDown)
  await t.rejects(hung.connect(POOL), { code: '53300' }, 'the caller learns why there is no connection')
  await runSql(superUrl, `alter database ${name} connection limit -1`)
  const client = await hung.connect(POOL)
  client.release()
})

await t.test('a connection for no company leads to the first machine that answers', async (t) => {
  const unnoticed = ['first', 'second'].map((name) => ({
    isDown: false,
    connect: () => Promise.reject(new MachineDownError(name)),
  }))
  const cluster = { machines: () => [...unnoticed, healthy] } as unknown as Cluster
  t.match(await openCompanyPool(cluster, POOL).query('select 1 as one'), { rows: [{ one: 1 }] })
  const allDown = { machines: () => unnoticed } as unknown as Cluster
  await t.rejects(openCompanyPool(allDown, POOL).query('select 1'), { name: 'MachineDownError' })
})
