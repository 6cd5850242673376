import { pino } from 'pino'
import t from 'tap'
import { bulkUserLogs } from '../../projections/bulk-user-logs/fold.ts'
import { employees } from '../../projections/employees/fold.ts'
import type { Projection } from '../../projections/projection.ts'
import { schemaOf } from '../../projections/projection.ts'
import { startApi } from '../../src/bootstrap/api.ts'
import { openStore } from '../../src/bootstrap/store.ts'
import { startWorkers } from '../../src/bootstrap/workers.ts'
import { migrate } from '../../src/migration/migrate.ts'
import { toUuid } from '../../src/domain/ids.ts'
import { isComplete } from '../../src/ledger/read/read-progress.ts'
import { pruneVersions } from '../../src/workers/rebuild.ts'
import { createQueues, queueNames } from '../../src/workers/queues.ts'
import { findSchemaOid, completeVersion } from '../../src/workers/copies.ts'
import { asSuperuser } from '../support/postgres/as-superuser.ts'
import { CITUS_URL } from '../support/postgres/citus-url.ts'
import { eventually } from '../support/eventually.ts'
import { makeHistory, openRebuilding } from '../support/rebuilding.ts'
import type { Service } from '../support/service.ts'
import { employee, send, startService } from '../support/service.ts'
import { EMPLOYEES } from '../support/postgres/projection-tables.ts'

/** The next version of the employees projection: the same, in its own tables. */
const next: Projection = { ...employees, version: employees.version + 1 }
const NEXT_PROJECTIONS = [next, bulkUserLogs]
const log = pino({ level: 'silent' })

async function migrateToNext({ urls }: Service): Promise<string[]> {
  const steps: string[] = []
  await migrate(
    urls,
    { createQueues, queues: queueNames(), queuesVersion: 'of the next version', onStep: (line) => steps.push(line) },
    NEXT_PROJECTIONS,
  )
  return steps
}

/** Makes all events old: a new version may be read without recent events, but not without old ones. */
async function makeOld({ urls }: Service): Promise<void> {
  await asSuperuser(urls.superUrl, `update events set recorded_at = '2020-01-01'`)
}

await t.test('a new version is filled beside the old one, and read only when complete', async (t) => {
  const service = await startService(t, { SWEEP_INTERVAL_MS: '100' })
  const store = { ...service, close: async () => undefined }
  const { db } = await openRebuilding(t, service)
  for (const company of [service.company, await service.makeCompany('Other')]) await makeHistory(service, company, 5)
  await makeOld(service)
  const oldWorkers = await startWorkers({ config: service.config, urls: service.urls, store, log })
  t.teardown(oldWorkers.stop)
  const steps = await migrateToNext(service)
  const tables = CITUS_URL === undefined ? [] : Object.keys(next.tables)
  const distributed = tables.map((table) => `table ${schemaOf(next)}.${table}: distributed by company_id`)
  t.strictSame(steps, [`projection employees version ${next.version}: tables created`, ...distributed])

  // The new process shares no connections with the old one.
  const ofNew = await openStore(service.config, service.urls, 'read-write')
  t.teardown(ofNew.close)
  const api = await startApi({
    config: service.config,
    urls: service.urls,
    store: ofNew,
    log,
    projections: NEXT_PROJECTIONS,
  })
  t.teardown(api.stop)
  const { key } = service.company
  const ask = (method: string, path: string, body?: unknown) => send(api.address, method, path, { key, body })
  t.match(await ask('GET', '/readyz'), { status: 503, body: { status: 'not ready' } })
  t.match(await ask('GET', '/v1/employees'), { status: 503, body: { code: 'unavailable' } })
  const headers = { authorization: `Bearer ${service.company.admin.token}` }
  t.match(await send(api.address, 'GET', '/admin/v1/bulk-user-logs', { headers }), {
    status: 503,
    headers: { 'retry-after': /./ },
  })
  const written = await ask('POST', '/v1/employees', employee())
  t.equal(written.status, 201, 'it accepts writing calls')
  t.strictSame(await pruneVersions(db, next), [], 'the old version is not dropped before the new one is complete')

  t.match(await service.call('GET', '/readyz'), { status: 200 }, 'the old process continues')
  const position = written.headers['x-ledger-position']
  const listed = await service.call('GET', `/v1/employees?min_position=${position}`)
  t.match(listed, { status: 200, body: { items: { length: 16 } } }, 'and shows what the new process wrote')

  const workers = await startWorkers({
    config: service.config,
    urls: service.urls,
    store,
    log,
    projections: NEXT_PROJECTIONS,
  })
  t.teardown(workers.stop)
  await eventually('the new version is ready', async () => (await ask('GET', '/readyz')).status === 200)
  t.equal((await ask('GET', '/v1/employees')).status, 200)
  const { rows } = await service.pool.query(`select count(*)::integer as n from ${EMPLOYEES} o
    full join ${schemaOf(next)}.employees n using (company_id, employee_id) where n.attributes::text is distinct from o.attributes::text`)
  t.equal(rows[0].n, 0, 'it has all rows of the old version')
})

await t.test('older versions are dropped on request', async (t) => {
  const service = await startService(t)
  const { db } = await openRebuilding(t, service)
  await makeHistory(service, service.company, 1)
  await service.project()
  await migrateToNext(service)
  await db
    .insertInto('projection_versions')
    .values({ projection: 'employees', version: next.version, completed_at: '2026-01-01T00:00:00.000Z' })
    .execute()
  t.strictSame(await pruneVersions(db, next), [
    { projection: 'employees', version: employees.version, isDropped: true },
  ])
  t.equal(await findSchemaOid(db, schemaOf(employees)), null)
  t.not(await findSchemaOid(db, schemaOf(next)), null)
  const left = await db.selectFrom('checkpoints').select(['projection', 'version']).execute()
  t.strictSame(left, [{ projection: 'bulk-user-logs', version: bulkUserLogs.version }])
  t.strictSame(await pruneVersions(db, next), [])
})

await t.test('a company parked in the old version does not delay the new one', async (t) => {
  const service = await startService(t)
  const { db } = await openRebuilding(t, service)
  await makeHistory(service, service.company, 2)
  await makeOld(service)
  const company_id = toUuid(service.company.id)
  const failure = { attempts: 5, next_try_at: null, parked_at: '2026-01-01T00:00:00.000Z', error: 'x' }
  const row = { company_id, projection: 'employees', ...failure }
  const rows = [6, 5].map((position, at) => ({ ...row, version: employees.version + at, position }))
  await db.insertInto('checkpoints').values(rows).execute()
  t.equal(await completeVersion(db, next), 'behind')
  await db.updateTable('checkpoints').set({ position: 6 }).where('version', '=', next.version).execute()
  t.equal(await completeVersion(db, next), 'completed')
  t.ok(await isComplete(db, next))
  t.equal(await completeVersion(db, next), 'complete', 'it is completed once')
})
