import t from 'tap'
import { PROJECTIONS } from '../../projections/index.ts'
import { bulkUserLogs } from '../../projections/bulk-user-logs/fold.ts'
import { employees } from '../../projections/employees/fold.ts'
import { toUuid } from '../../src/domain/ids.ts'
import { foldTogether } from '../../src/workers/fold-together.ts'
import { catchUp } from '../../src/workers/project.ts'
import { asSuperuser } from '../support/postgres/as-superuser.ts'
import { CITUS_URL } from '../support/postgres/citus-url.ts'
import { openRebuilding } from '../support/rebuilding.ts'
import type { Service, TestCompany } from '../support/service.ts'
import { employee, startService } from '../support/service.ts'
import { ERASE } from '../support/ledger/event-row.ts'

const together = CITUS_URL === undefined ? {} : { skip: 'on Citus each company is folded alone' }

const COMPANIES = 8

const service = await startService(t)
const { db } = service
const { verify } = await openRebuilding(t, service)
const companies = [service.company]
while (companies.length < COMPANIES) companies.push(await service.makeCompany(`Company ${companies.length}`))
const ids = companies.map(({ id }) => id)
for (const { id } of companies) await service.project(id)

/** Makes some calls in each company, and returns the positions reached. */
async function callAll(some = companies): Promise<Map<string, number>> {
  const reached = new Map<string, number>()
  for (const { id, key } of some) {
    const { body } = await service.call('POST', '/v1/employees', { key, body: [employee(), employee()] })
    await service.call('PATCH', `/v1/employees/${body.employees[0].id}`, {
      key,
      body: { status: 'inactive', job_title: 'x' },
    })
    const { headers } = await service.call('PATCH', `/v1/employees/${body.employees[1].id}`, {
      key,
      body: { email: 'no' },
    })
    reached.set(id, Number(headers['x-ledger-position']))
  }
  return reached
}

async function positionsOf(of: Service, projection: { name: string }): Promise<Map<string, number>> {
  const rows = await of.db
    .selectFrom('checkpoints')
    .select(['company_id', 'position'])
    .where('projection', '=', projection.name)
    .execute()
  return new Map(ids.map((id) => [id, rows.find((row) => row.company_id === toUuid(id))!.position]))
}

const through = (folded: { companyId: string }[]) => folded.map(({ companyId }) => companyId).toSorted()

await t.test('one transaction folds several companies, with the same result as each alone', together, async (t) => {
  const reached = await callAll()
  for (const projection of PROJECTIONS) {
    t.strictSame(through(await foldTogether(db, projection, ids)), ids.toSorted())
    t.strictSame(await positionsOf(service, projection), reached)
    const { rows } = await service.pool.query('select distinct xmin from checkpoints where projection = $1', [
      projection.name,
    ])
    t.equal(rows.length, 1, 'one transaction')
    t.strictSame((await verify(projection)).faults, [])
  }
})

await t.test('companies without new events are done', together, async (t) => {
  const folded = await foldTogether(db, employees, ids)
  t.strictSame(through(folded), ids.toSorted())
  t.ok(folded.every(({ after, upTo, isEnd }) => after === upTo && isEnd))
})

await t.test(
  'a company with many events folds its first whole calls now, and the rest next time',
  together,
  async (t) => {
    const [busy, large, ...others] = companies as [TestCompany, TestCompany, ...TestCompany[]]
    const made = (count: number, { key }: TestCompany) =>
      service.call('POST', '/v1/employees', { key, body: Array.from({ length: count }, () => employee()) })
    for (const count of [30, 30, 1]) await made(count, busy)
    await made(60, large)
    for (const projection of PROJECTIONS) {
      const before = (await positionsOf(service, projection)).get(busy.id)!
      const folded = await foldTogether(db, projection, ids)
      t.strictSame(through(folded), [busy, ...others].map(({ id }) => id).toSorted(), 'a larger call is folded alone')
      t.match(
        folded.find(({ companyId }) => companyId === busy.id),
        { after: before, upTo: before + 31, isEnd: false },
      )
      t.match(
        (await foldTogether(db, projection, ids)).find(({ companyId }) => companyId === busy.id),
        { upTo: before + 64, isEnd: true },
      )
      await catchUp(db, projection, large.id)
      t.strictSame((await verify(projection)).faults, [])
    }
  },
)

await t.test('many workers on the same companies at once fold every event exactly once', together, async (t) => {
  const reached = await callAll()
  for (const projection of PROJECTIONS) {
    const alone = ids.map((id) => catchUp(db, projection, id))
    await Promise.all([foldTogether(db, projection, ids), foldTogether(db, projection, ids.toReversed()), ...alone])
    t.strictSame(await positionsOf(service, projection), reached)
    t.strictSame((await verify(projection)).faults, [])
  }
})

await t.test('a company that another worker is folding is left to it, without waiting', together, async (t) => {
  await callAll()
  const [held, ...others] = ids as [string, ...string[]]
  const twin = await service.pool.connect()
  await twin.query('begin')
  await twin.query('select from checkpoints where company_id = $1 for update', [toUuid(held)])
  t.strictSame(through(await foldTogether(db, bulkUserLogs, ids)), others.toSorted())
  await twin.query('rollback')
  twin.release()
  t.strictSame(through(await foldTogether(db, bulkUserLogs, [held])), [held])
})

await t.test('a company that is parked, or has a large call or an erasure, is folded alone', together, async (t) => {
  for (const { id } of companies) await service.project(id)
  const [parked, large, erasing, ...others] = companies as [TestCompany, TestCompany, TestCompany, ...TestCompany[]]
  await service.call('POST', '/v1/employees', { key: large.key, body: Array.from({ length: 60 }, () => employee()) })
  await callAll()
  await db
    .updateTable('checkpoints')
    .set({ parked_at: '2026-01-01T00:00:00Z' })
    .where('company_id', '=', toUuid(parked.id))
    .execute()
  const { body } = await service.call('POST', '/v1/employees', { key: erasing.key, body: employee() })
  const erased = await service.manage('POST', '/erasures', { employee_id: body.employees[0].id }, erasing.admin.token)
  t.ok(erased.status < 300, JSON.stringify(erased.body))
  t.strictSame(through(await foldTogether(db, employees, ids)), others.map(({ id }) => id).toSorted())
  await db.updateTable('checkpoints').set({ parked_at: null }).where('company_id', '=', toUuid(parked.id)).execute()
  for (const { id } of companies) await service.project(id)
  t.strictSame((await verify(employees)).faults, [])
})

await t.test('an event that cannot be folded leaves all checkpoints unchanged', together, async (t) => {
  const [poisoned] = companies as [TestCompany]
  const before = await positionsOf(service, bulkUserLogs)
  const reached = await callAll()
  const lost = `update events set ${ERASE} where company_id = '${toUuid(poisoned.id)}' and position = ${reached.get(poisoned.id)}`
  await asSuperuser(
    service.urls.superUrl,
    'alter table events disable trigger all',
    lost,
    'alter table events enable trigger all',
  )
  t.strictSame(await foldTogether(db, bulkUserLogs, ids), [])
  t.strictSame(await positionsOf(service, bulkUserLogs), before)
  await t.rejects(
    catchUp(db, bulkUserLogs, poisoned.id),
    { name: 'UnfoldableError' },
    'folded alone, it fails with the error',
  )
  for (const { id } of companies.slice(1)) t.equal(await catchUp(db, bulkUserLogs, id), reached.get(id))
})
