import t from 'tap'
import type { Test } from 'tap'
import { PROJECTIONS } from '../../projections/index.ts'
import { newId } from '../../src/ledger/new-id.ts'
import type { LedgerTables } from '../../src/ledger/tables.ts'
import { openDatabase } from '../../src/postgres/kysely.ts'
import { openPool } from '../../src/postgres/pool.ts'
import { type CompaniesJob, createWaker } from '../../src/workers/announce.ts'
import { readQueueDepths } from '../../src/workers/health.ts'
import { createQueues, DELETE_EXPIRED, openQueues, queueOf, workedQueueNames } from '../../src/workers/queues.ts'
import { openProxy } from '../support/lines/open-proxy.ts'
import { runSql } from '../support/postgres/run-sql.ts'
import { createTestDatabase } from '../support/postgres/test-database.ts'

const LISTEN = Buffer.from('LISTEN "')

await t.test('a worker listens even if its first connection for listening breaks', async (t) => {
  const { url, broken } = await breakFirstListen(t, (await createTestDatabase(t)).serviceUrl)
  const faults: Error[] = []
  const boss = await openQueues(url, { works: true, connections: 2, onError: (error) => faults.push(error) })
  t.teardown(() => boss.stop({ graceful: false }))
  t.equal(broken(), 1)
  t.ok(
    faults.some(({ message }) => message.includes('LISTEN')),
    'the fault is reported',
  )
  const { rows } = await boss
    .getDb()
    .executeSql(
      `select count(*)::integer as count from pg_stat_activity where datname = current_database() and query like 'LISTEN%'`,
    )
  t.strictSame(rows, [{ count: 1 }], 'one connection listens')
})

await t.test('every queue notifies its workers, also one that version 1.0.0 has created', async (t) => {
  const { ownerUrl, serviceUrl } = await createTestDatabase(t)
  await runSql(ownerUrl, `update pgboss.queue set notify = false where name = '${DELETE_EXPIRED}'`)
  await createQueues(ownerUrl)
  const boss = await openQueues(serviceUrl, { works: false, connections: 1, onError: (error) => t.fail(error.message) })
  t.teardown(() => boss.stop({ graceful: false }))
  const notifying = (await boss.getQueues()).filter(({ notify }) => notify).map(({ name }) => name)
  t.strictSame(notifying.toSorted(), workedQueueNames().toSorted())
})

await t.test('the depth of every queue is reported, except those of parked companies', async (t) => {
  const { serviceUrl } = await createTestDatabase(t)
  const boss = await openQueues(serviceUrl, { works: false, connections: 1, onError: (error) => t.fail(error.message) })
  t.teardown(() => boss.stop({ graceful: false }))
  const names = (await boss.getQueues()).map(({ name }) => name).filter((name) => !/^__pgboss|-parked$/.test(name))
  for (const name of names) await boss.send(name, {})
  const db = openDatabase<LedgerTables>(openPool({ url: serviceUrl, name: 'test', max: 1 }))
  t.teardown(() => db.destroy())
  const depths = (await readQueueDepths(db)).toSorted((one, other) => one.name.localeCompare(other.name))
  t.strictSame(
    depths,
    names.toSorted((one, other) => one.localeCompare(other)).map((name) => ({ name, waiting: 1, active: 0 })),
  )
})

await t.test('a connection parses the statement of a wake-up once', async (t) => {
  const { serviceUrl } = await createTestDatabase(t)
  const boss = await openQueues(serviceUrl, { works: false, connections: 1, onError: (error) => t.fail(error.message) })
  t.teardown(() => boss.stop({ graceful: false }))
  const wakeUps = 3
  for (let wakeUp = 0; wakeUp < wakeUps; wakeUp += 1) await boss.insert(queueOf(PROJECTIONS[0]!), [{ data: {} }])
  const { rows } = await boss.getDb().executeSql(
    `select (generic_plans + custom_plans)::integer as times from pg_prepared_statements
     where statement ~ 'INSERT INTO pgboss' and not from_sql`,
  )
  t.strictSame(rows, [{ times: wakeUps }])
})

await t.test('a wake-up of many companies is split into jobs, each within the limit', async (t) => {
  const { serviceUrl } = await createTestDatabase(t)
  const boss = await openQueues(serviceUrl, { works: false, connections: 1, onError: (error) => t.fail(error.message) })
  t.teardown(() => boss.stop({ graceful: false }))
  const waker = createWaker(boss, (error) => t.fail(String(error)))
  const companies = Array.from({ length: 2_500 }, () => newId('com'))
  waker.announce(companies)
  await waker.idle()
  for (const projection of PROJECTIONS) {
    const jobs = await boss.fetch<CompaniesJob>(queueOf(projection), { batchSize: 10 })
    const named = jobs.map(({ data }) => data.companies)
    t.strictSame(
      named.map(({ length }) => length).toSorted((one, other) => other - one),
      [1_000, 1_000, 500],
    )
    t.strictSame(named.flat().toSorted(), companies.toSorted())
  }
})

await t.test('a connection that breaks while it closes, after the stop, is no fault', async (t) => {
  const faults: Error[] = []
  const { serviceUrl } = await createTestDatabase(t)
  const boss = await openQueues(serviceUrl, { works: false, connections: 1, onError: (error) => faults.push(error) })
  const breaks = (message: string) => boss.emit('error', new Error(message))
  breaks('before')
  await boss.stop({ graceful: false })
  breaks('after')
  t.strictSame(
    faults.map(({ message }) => message),
    ['before'],
  )
})

/** Opens a proxy to the database that breaks the first connection that sends LISTEN. */
async function breakFirstListen(
  t: Pick<Test, 'teardown'>,
  databaseUrl: string,
): Promise<{ url: string; broken(): number }> {
  let broken = 0
  const { through } = await openProxy(t, databaseUrl, ({ send, cut }) => ({
    fromClient(bytes) {
      if (broken > 0 || !bytes.includes(LISTEN)) return send(bytes)
      broken += 1
      cut()
    },
  }))
  return { url: through(databaseUrl), broken: () => broken }
}
