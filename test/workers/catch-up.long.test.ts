import t from 'tap'
import { PROJECTIONS } from '../../projections/index.ts'
import { bulkUserLogs } from '../../projections/bulk-user-logs/fold.ts'
import { readEmployeePage } from '../../projections/employees/queries.ts'
import { toUuid } from '../../src/domain/ids.ts'
import { recordFailure } from '../../src/workers/checkpoints.ts'
import { catchUp, UnfoldableError } from '../../src/workers/project.ts'
import { asSuperuser } from '../support/postgres/as-superuser.ts'
import { inputs } from '../support/quick.ts'
import { employee, startService } from '../support/service.ts'
import { foldEmployees, sameJson } from '../support/ledger/verify-ledger.ts'
import { readEvents } from '../support/ledger/company-events.ts'
import { EMPLOYEES, ENTRIES } from '../support/postgres/projection-tables.ts'

const service = await startService(t)
const companyId = service.company.id

const ROUNDS = inputs(10, 30)
for (let at = 0; at < ROUNDS; at += 1) {
  const { body } = await service.call('POST', '/v1/employees', { body: Array.from({ length: 40 }, () => employee()) })
  const patches = body.employees.map(({ id }: { id: string }, nth: number) => ({
    id,
    job_title: nth % 2 ? 'Dev' : null,
  }))
  await service.call('PATCH', '/v1/employees', { body: patches })
  await service.call('PATCH', '/v1/employees', {
    body: [{ id: body.employees[0].id, status: 'inactive', location: 'X' }, {}],
  })
}

await t.test('many workers on one company at once fold every event exactly once', async (t) => {
  const twins = PROJECTIONS.flatMap((projection) =>
    Array.from({ length: 4 }, () => catchUp(service.db, projection, companyId)),
  )
  const reached = await Promise.all(twins)
  const { position } = await service.db.selectFrom('heads').select('position').executeTakeFirstOrThrow()
  t.strictSame(new Set(reached), new Set([position]))
  const { rows } = await service.pool.query(`select
    (select count(*)::integer from ${ENTRIES}) as entries,
    (select sum(octet_length(outcomes))::integer from ${ENTRIES}) as records,
    (select count(*)::integer from ${EMPLOYEES}) as employees`)
  t.strictSame(rows[0], { entries: 3 * ROUNDS, records: ROUNDS * (40 + 40 + 2), employees: 40 * ROUNDS })
})

await t.test('the employee read model equals a fold of the events', async (t) => {
  const folded = foldEmployees(await readEvents(service.db, companyId))
  const { employees: rows } = await readEmployeePage(service.db, companyId, {}, { after: null, limit: 10_000 })
  t.equal(rows.length, folded.size)
  t.strictSame(
    rows.filter((employee) => !sameJson(employee, folded.get(employee.id))),
    [],
  )
})

await t.test('folding the same events again changes nothing', async (t) => {
  const read = () => service.pool.query(`select * from ${ENTRIES} order by 1, 2`)
  const before = await read()
  await catchUp(service.db, bulkUserLogs, companyId)
  t.strictSame((await read()).rows, before.rows)
})

await t.test('a call larger than a batch is folded whole', async (t) => {
  const count = inputs(2_500, 5_000)
  const large = await startService(t, { MAX_RECORDS: '10000' })
  const { body, status } = await large.call('POST', '/v1/employees', {
    body: Array.from({ length: count }, () => employee()),
  })
  t.equal(status, 201)
  const { entry } = await large.logOf(body.log_id)
  t.equal(entry.counts.total, count)
  const { rows } = await large.pool.query(`select sum(octet_length(outcomes))::integer as n from ${ENTRIES}`)
  t.equal(rows[0].n, count)
})

await t.test('unreadable data stops the projection, and concurrent failures count once', async (t) => {
  const broken = await startService(t)
  const { headers } = await broken.call('POST', '/v1/employees', { body: employee() })
  const position = headers['x-ledger-position']
  await asSuperuser(broken.urls.superUrl, `update events set data = 'no JSON' where position = ${position}`)
  const fault = await catchUp(broken.db, bulkUserLogs, broken.company.id).catch((error: unknown) => error)
  if (!(fault instanceof UnfoldableError) || !fault.checkpoint) throw new Error('it did not stop')
  const { checkpoint } = fault
  const count = () => recordFailure(broken.db, bulkUserLogs, broken.company.id, checkpoint, 'a reason')
  const counted = await Promise.all([count(), count(), count()])
  t.strictSame(
    counted.filter((standing) => standing !== null).map(({ attempts }) => attempts),
    [1],
  )
})

await t.test('a missing event stops the projection at the gap instead of being skipped', async (t) => {
  const broken = await startService(t)
  const first = await broken.call('POST', '/v1/employees', { body: employee() })
  const second = await broken.call('POST', '/v1/employees', { body: employee() })
  const end = Number(first.headers['x-ledger-position'])
  await asSuperuser(broken.urls.superUrl, `delete from events where position = ${end + 1}`)
  const missing = new RegExp(`position ${end + 1} of ${broken.company.id} is missing`)
  await t.rejects(catchUp(broken.db, bulkUserLogs, broken.company.id), { name: 'UnfoldableError', message: missing })
  const { rows } = await broken.pool.query(`select 1 from ${ENTRIES} where call_id = $1`, [toUuid(second.body.log_id)])
  t.strictSame(rows, [], "the ledger has the second call, and the log doesn't have its entry yet")
})
