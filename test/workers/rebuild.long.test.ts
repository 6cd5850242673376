import pg from 'pg'
import t from 'tap'
import { bulkUserLogs } from '../../projections/bulk-user-logs/fold.ts'
import { employees } from '../../projections/employees/fold.ts'
import { PROJECTIONS } from '../../projections/index.ts'
import { schemaOf } from '../../projections/projection.ts'
import { toUuid } from '../../src/domain/ids.ts'
import { readStanding } from '../../src/ledger/read/read-standings.ts'
import { sqlState } from '../../src/postgres/database-errors.ts'
import { findSchemaOid, shadowOf } from '../../src/workers/copies.ts'
import { isCaughtUp } from '../support/caught-up.ts'
import { CITUS_URL } from '../support/postgres/citus-url.ts'
import { launch, runJson } from '../support/processes/cli.ts'
import { eventually } from '../support/eventually.ts'
import { inputs } from '../support/quick.ts'
import { makeHistory, openRebuilding } from '../support/rebuilding.ts'
import type { Service } from '../support/service.ts'
import { employee, startService } from '../support/service.ts'
import { EMPLOYEES, ENTRIES } from '../support/postgres/projection-tables.ts'

const environment = ({ urls }: Service) => ({ DATABASE_URL: urls.serviceUrl, MIGRATE_DATABASE_URL: urls.ownerUrl })

const leftovers = async ({ pool }: Service) => {
  const { rows } = await pool.query<{ nspname: string }>(
    `select nspname from pg_namespace where nspname ~ '_(next|old)_v'`,
  )
  return rows.map(({ nspname }) => nspname)
}

/** On a cluster, a reader that meets a switch may have to ask once more. */
const meetsSwitch = (error: unknown) => CITUS_URL !== undefined && sqlState(error) === '42P01'

await t.test('readers see all rows during rebuilds, and writers continue', async (t) => {
  const service = await startService(t, {}, { workers: true })
  const { rebuild, verify } = await openRebuilding(t, service)
  await makeHistory(service, service.company, 20)
  await eventually('all is folded', () => isCaughtUp(service.db))
  const over = new AbortController()
  let [entries, people, reads] = [0, 0, 0]
  const reading = async () => {
    while (!over.signal.aborted) {
      const found = await service.pool
        .query<{ entries: number; people: number }>(
          `select (select count(*)::integer from ${ENTRIES}) as entries,
            (select count(*)::integer from ${EMPLOYEES}) as people`,
        )
        .catch((error: unknown) => {
          if (!meetsSwitch(error)) throw error
        })
      const seen = found?.rows[0]
      if (!seen) continue
      if (seen.entries < entries || seen.people < people)
        throw new Error(`${JSON.stringify(seen)} after ${entries}, ${people}`)
      entries = seen.entries
      people = seen.people
      const list = await service.admin('/bulk-user-logs?limit=200')
      if (CITUS_URL !== undefined && list.status === 503) continue
      if (list.status !== 200 || list.body.items.length < 60) throw new Error(`the list has ${list.body.items?.length}`)
      reads += 1
    }
  }
  const writing = async () => {
    let calls = 0
    for (; !over.signal.aborted; calls += 1)
      t.equal((await service.call('POST', '/v1/employees', { body: employee() })).status, 201)
    return calls
  }
  const beside = Promise.all([reading(), writing()])
  for (let times = 0; times < inputs(2, 4); times += 1) {
    for (const projection of PROJECTIONS)
      t.strictSame(await rebuild(projection), { isSwitched: true, areOldDropped: true })
  }
  over.abort()
  const [, calls] = await beside
  t.ok(calls > 0 && reads > 0)
  await eventually('all is folded', () => isCaughtUp(service.db))
  const { rows } = await service.pool.query(`select count(*)::integer as n from ${ENTRIES}`)
  t.equal(rows[0].n, 60 + calls, 'each call has one entry')
  for (const projection of PROJECTIONS) t.strictSame((await verify(projection)).faults, [])
  t.strictSame(await leftovers(service), [])
})

/** The rebuild of a company's employees waits for this uncommitted checkpoint before it adds its own. */
async function holdRebuild({ urls }: Service, { id }: { id: string }): Promise<pg.Client> {
  const holder = new pg.Client({ connectionString: urls.ownerUrl })
  await holder.connect()
  await holder.query('begin')
  await holder.query(
    `insert into checkpoints (company_id, projection, version, position) values ($1, 'employees-next', ${employees.version}, 0)`,
    [toUuid(id)],
  )
  return holder
}

await t.test('the next rebuild continues a killed one', async (t) => {
  const service = await startService(t)
  const { rebuild, verify } = await openRebuilding(t, service)
  const held = await service.makeCompany('Held')
  for (const company of [service.company, held]) {
    await makeHistory(service, company, 3)
    await service.project(company.id)
  }
  const holder = await holdRebuild(service, held)
  const killed = launch(t, ['projections', 'rebuild', 'employees'], environment(service))
  const half = await eventually('a company is built', async () => (await readStanding(service.pool, employees)).rebuild)
  await killed.end('SIGKILL')
  await holder.query('rollback')
  await holder.end()
  t.ok(half.events > 0 && half.events < half.of)
  t.strictSame(await leftovers(service), [schemaOf(shadowOf(employees))])

  let begun: unknown[] = []
  const outcome = await rebuild(employees, { onBegun: (...facts) => (begun = facts) })
  t.strictSame(begun, [half.of - half.events, true], 'events are not folded again')
  t.ok(outcome.isSwitched)
  t.strictSame((await verify(employees)).faults, [])
  t.strictSame(await leftovers(service), [])
  t.equal((await readStanding(service.pool, employees)).rebuild, null)
})

await t.test('an interrupted rebuild says how to continue; --restart starts over', async (t) => {
  const service = await startService(t)
  const { db, rebuild } = await openRebuilding(t, service)
  await makeHistory(service, service.company, 2)
  const stop = new AbortController()
  const stopped = rebuild(employees, { signal: stop.signal, onFolded: () => stop.abort(new Error('stopped')) })
  await t.rejects(stopped, { message: 'stopped' })
  t.strictSame(await leftovers(service), [schemaOf(shadowOf(employees))])
  const left = await findSchemaOid(db, schemaOf(shadowOf(employees)))
  const rebuilt = await runJson(t, ['projections', 'rebuild', 'employees', '--restart'], environment(service))
  t.match(rebuilt, { projection: 'employees', switched: true, old_tables_dropped: true })
  t.not(await findSchemaOid(db, schemaOf(employees)), left)

  const holder = await holdRebuild(service, service.company)
  const waiting = launch(t, ['projections', 'rebuild', 'employees'], environment(service))
  await eventually('the rebuild has begun', async () => (await leftovers(service)).length > 0)
  waiting.child.kill('SIGINT')
  const { exitCode, stderr } = await waiting.ended
  await holder.query('rollback')
  await holder.end()
  t.equal(exitCode, 130)
  t.match(stderr, /stopping after this batch; run the command again to continue/)
})

await t.test('concurrent rebuilds share the work, and each succeeds', async (t) => {
  const service = await startService(t)
  const { rebuild, verify } = await openRebuilding(t, service)
  for (let at = 0; at < 6; at += 1) await makeHistory(service, await service.makeCompany(`Company ${at}`), 3)
  const outcomes = await Promise.all([1, 2, 3].map(() => rebuild(bulkUserLogs)))
  t.ok(outcomes.every(({ isSwitched }) => isSwitched))
  t.strictSame((await verify(bulkUserLogs)).faults, [])
  t.strictSame(await leftovers(service), [])
})

await t.test('rebuilt tables have the same indexes', async (t) => {
  const service = await startService(t)
  const { rebuild } = await openRebuilding(t, service)
  await makeHistory(service, service.company, 3)
  const indexes = async () => {
    const { rows } = await service.pool.query<{ indexdef: string }>(
      'select indexdef from pg_indexes where schemaname = any($1) order by indexdef',
      [PROJECTIONS.map(schemaOf)],
    )
    return rows.map(({ indexdef }) => indexdef)
  }
  const before = await indexes()
  t.ok(before.length > PROJECTIONS.length)
  for (const projection of PROJECTIONS) t.match(await rebuild(projection), { isSwitched: true })
  t.strictSame(await indexes(), before)
})
