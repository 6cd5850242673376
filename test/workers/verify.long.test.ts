import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { bulkUserLogs } from '../../projections/bulk-user-logs/fold.ts'
import { employees } from '../../projections/employees/fold.ts'
import { toUuid } from '../../src/domain/ids.ts'
import { rebuildCompany } from '../../src/workers/scratch.ts'
import { isCaughtUp } from '../support/caught-up.ts'
import { runCommand } from '../support/processes/cli.ts'
import { eventually } from '../support/eventually.ts'
import { asSuperuser } from '../support/postgres/as-superuser.ts'
import { makeHistory, openRebuilding, poison } from '../support/rebuilding.ts'
import { inputs } from '../support/quick.ts'
import { employee, startService } from '../support/service.ts'
import { EMPLOYEES, HOURS } from '../support/postgres/projection-tables.ts'

const SILENT = { signal: new AbortController().signal, onBegun: () => undefined, onFolded: () => undefined }

/** Every call makes what is verified beside it longer. */
const BETWEEN_CALLS_MS = 50

const service = await startService(t)
const { db, verify } = await openRebuilding(t, service)
const other = await service.makeCompany('Other')
for (const company of [service.company, other]) {
  await makeHistory(service, company, 4)
  await service.project(company.id)
}
const companyId = service.company.id
const environment = { DATABASE_URL: service.urls.serviceUrl, MIGRATE_DATABASE_URL: service.urls.ownerUrl }

await t.test('live tables that match the ledger are equal', async (t) => {
  for (const projection of [employees, bulkUserLogs])
    t.strictSame(await verify(projection), { companies: 2, faults: [], isComplete: true })
  const ended = await runCommand(t, ['projections', 'verify', '--json'], environment)
  t.equal(ended.exitCode, 0)
  t.match(JSON.parse(ended.stdout), [
    { projection: 'employees', equal: true, complete: true },
    { projection: 'bulk-user-logs', equal: true, complete: true },
  ])
})

await t.test('changed, missing and extra rows are named, and their values only on request', async (t) => {
  const { rows } = await service.pool.query<{ employee_id: string }>(
    `select employee_id from ${EMPLOYEES} where company_id = $1 order by employee_id`,
    [toUuid(companyId)],
  )
  const [changed, missing] = [rows[0]!.employee_id, rows[1]!.employee_id]
  const extra = '01930000-0000-7000-8000-000000000001'
  await service.pool.query(
    `insert into ${EMPLOYEES} select (jsonb_populate_record(e, jsonb_build_object('employee_id', $2::uuid))).*
     from ${EMPLOYEES} e where employee_id = $1`,
    [changed, extra],
  )
  await service.pool.query(`update ${EMPLOYEES} set search_text = 'planted@example.com' where employee_id = $1`, [
    changed,
  ])
  await service.pool.query(`delete from ${EMPLOYEES} where employee_id = $1`, [missing])
  const { faults } = await verify(employees)
  t.strictSame(faults, [
    {
      companyId,
      rows: 3,
      differences: [
        { table: 'employees', kind: 'extra', key: { employee_id: extra }, columns: [] },
        { table: 'employees', kind: 'changed', key: { employee_id: changed }, columns: ['search_text'] },
        { table: 'employees', kind: 'missing', key: { employee_id: missing }, columns: [] },
      ],
    },
  ])
  const shown = (await verify(employees, { companyId, showValues: true })).faults[0]!.differences[1]!
  t.match(shown.values, { search_text: { live: 'planted@example.com', ledger: /ana/ } })
  t.strictSame(Object.keys(shown.values!), ['search_text'])
  t.strictSame((await verify(employees, { companyId: other.id })).faults, [], 'the other company is right')

  const ended = await runCommand(t, ['projections', 'verify', 'employees'], environment)
  t.equal(ended.exitCode, 1)
  t.match(ended.stdout, `employees: ${companyId}: 3 rows differ\n`)
  t.match(ended.stdout, `employees {"employee_id":"${changed}"} is changed in search_text\n`)
  t.notMatch(ended.stdout, /@/, 'nothing personal is shown')
})

await t.test('a rebuild of a company corrects its rows and no others', async (t) => {
  const versions = async () => (await service.pool.query(`select employee_id, xmin from ${EMPLOYEES} order by 1`)).rows
  const before = await versions()
  const ended = await runCommand(
    t,
    ['projections', 'rebuild', 'employees', '--company', companyId, '--json'],
    environment,
  )
  t.match(JSON.parse(ended.stdout), { company_id: companyId, rows_changed: 2 })
  t.strictSame((await verify(employees)).faults, [])
  const rewritten = (await versions()).filter(
    (row) => !before.some((old) => old.employee_id === row.employee_id && old.xmin === row.xmin),
  )
  t.equal(rewritten.length, 2, 'the changed one and the missing one')
})

await t.test('rows of an unknown company are found', async (t) => {
  const nobody = '01930000-0000-7000-8000-0000000000ff'
  await service.pool.query(`insert into ${HOURS} values ($1, now(), 1, 2)`, [nobody])
  const { faults } = await verify(bulkUserLogs)
  t.match(faults, [{ rows: 1, differences: [{ table: 'hours', kind: 'extra' }] }])
  await service.pool.query(`delete from ${HOURS} where company_id = $1`, [nobody])
})

await t.test('a verification that ends at 100 companies with differences says so', async (t) => {
  const strays = `from heads where position = 0`
  await asSuperuser(
    service.urls.superUrl,
    `insert into heads select gen_random_uuid(), 0, '', now() from generate_series(1, 101)`,
  )
  await service.pool.query(`insert into ${HOURS} select company_id, now(), 1, 2 ${strays}`)
  const ended = await runCommand(t, ['projections', 'verify', 'bulk-user-logs'], environment)
  t.equal(ended.exitCode, 1)
  t.match(ended.stdout, 'bulk-user-logs: stopped after 100 companies with differences\n')
  const { stdout } = await runCommand(t, ['projections', 'verify', 'bulk-user-logs', '--json'], environment)
  t.match(JSON.parse(stdout), [{ equal: false, complete: false }])
  await service.pool.query(`delete from ${HOURS} where company_id in (select company_id ${strays})`)
  await asSuperuser(service.urls.superUrl, `delete ${strays}`)
})

await t.test('verification compares at the position of the live tables while workers fold', async (t) => {
  const busy = await startService(t, {}, { workers: true })
  const owner = await openRebuilding(t, busy)
  await makeHistory(busy, busy.company, 5)
  const over = new AbortController()
  const writing = (async () => {
    while (!over.signal.aborted) {
      await busy.call('POST', '/v1/employees', { body: [employee(), employee()] })
      await pause(BETWEEN_CALLS_MS)
    }
  })()
  for (let times = 0; times < inputs(2, 5); times += 1) {
    t.strictSame((await owner.verify(bulkUserLogs)).faults, [])
    t.strictSame((await owner.verify(employees)).faults, [])
  }
  over.abort()
  await writing
  await eventually('all is folded', () => isCaughtUp(busy.db))
})

await t.test('concurrent workers and rebuilds fold each event once', async (t) => {
  const busy = await startService(t, {}, { workers: true })
  const owner = await openRebuilding(t, busy)
  const over = new AbortController()
  const writing = (async () => {
    while (!over.signal.aborted) {
      await makeHistory(busy, busy.company, 1)
      await pause(BETWEEN_CALLS_MS)
    }
  })()
  const rebuildOne = () => rebuildCompany(owner.db, bulkUserLogs, busy.company.id, SILENT)
  for (let times = 0; times < inputs(2, 5); times += 1)
    await Promise.all([rebuildOne(), rebuildOne(), owner.rebuild(bulkUserLogs)])
  over.abort()
  await writing
  await eventually('all is folded', () => isCaughtUp(busy.db))
  t.strictSame((await owner.verify(bulkUserLogs)).faults, [])
})

await t.test('a rebuild resumes a parked company, and a failed rebuild changes nothing', async (t) => {
  await service.pool.query(
    `update checkpoints set parked_at = now(), attempts = 5, error = 'x' where company_id = $1`,
    [toUuid(companyId)],
  )
  await makeHistory(service, service.company, 1)
  await poison(service, companyId)
  const ended = await runCommand(t, ['projections', 'rebuild', 'employees', '--company', companyId], environment)
  t.match(ended, { exitCode: 1, stdout: '', stderr: /unknown type NobodyKnows/ })
  t.strictSame((await verify(employees)).faults, [], 'what was folded before is right')
  const parked = () =>
    service.pool.query(
      'select 1 from checkpoints where parked_at is not null and company_id = $1 and projection = $2',
      [toUuid(companyId), 'employees'],
    )
  t.equal((await parked()).rows.length, 1)
  await poison(service, companyId, true)
  await rebuildCompany(db, employees, companyId, SILENT)
  t.equal((await parked()).rows.length, 0)
  t.strictSame((await verify(employees)).faults, [])
})

await t.test('verification leaves no tables behind', async (t) => {
  const { rows } = await service.pool.query(`select relname from pg_class where relpersistence = 't' and relkind = 'r'`)
  t.strictSame(rows, [])
})
