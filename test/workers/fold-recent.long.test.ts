import t from 'tap'
import { bulkUserLogs } from '../../projections/bulk-user-logs/fold.ts'
import { PROJECTIONS } from '../../projections/index.ts'
import type { Projection } from '../../projections/projection.ts'
import { toUuid } from '../../src/domain/ids.ts'
import { createRecentEvents } from '../../src/ledger/append/recent-events.ts'
import { foldTogether } from '../../src/workers/fold-together.ts'
import { foldNext } from '../../src/workers/project.ts'
import { asSuperuser } from '../support/postgres/as-superuser.ts'
import { CITUS_URL } from '../support/postgres/citus-url.ts'
import { eventually } from '../support/eventually.ts'
import { makeHistory, openRebuilding } from '../support/rebuilding.ts'
import { employee, startService } from '../support/service.ts'
import { EMPLOYEES } from '../support/postgres/projection-tables.ts'

/** The recent events of a process, and how often they were used. */
function openCounted() {
  // For longer than a slow machine takes.
  const counted = { ...createRecentEvents({ readers: PROJECTIONS.length, keptMs: 600_000 }), used: 0 }
  const { callsBehind } = counted
  counted.callsBehind = (...asked) => {
    const calls = callsBehind(...asked)
    if (calls) counted.used += 1
    return calls
  }
  return counted
}

const recent = openCounted()
const service = await startService(t, {}, { recent })
const { db } = service
const { verify } = await openRebuilding(t, service)
const companies = [service.company, await service.makeCompany('Other'), await service.makeCompany('Third')]
const ids = companies.map(({ id }) => id)
for (const id of ids) await service.project(id)

/** Makes some calls in each company; the process remembers them. */
async function callAll(): Promise<void> {
  for (const company of companies) await makeHistory(service, company, 2)
}

async function headOf(companyId: string): Promise<number> {
  return (
    await db
      .selectFrom('heads')
      .select('position')
      .where('company_id', '=', toUuid(companyId))
      .executeTakeFirstOrThrow()
  ).position
}

/** Folds all events of one company, and returns the position reached. */
async function foldAlone(projection: Projection, companyId: string): Promise<number> {
  for (;;) {
    const { position, isDone } = await foldNext(db, projection, companyId, { recent })
    if (isDone) return position
  }
}

const together = CITUS_URL === undefined ? {} : { skip: 'on Citus each company is folded alone' }

await t.test('a fold from memory equals a fold of the ledger', async (t) => {
  await callAll()
  for (const projection of PROJECTIONS) {
    const before = recent.used
    for (const id of ids) t.equal(await foldAlone(projection, id), await headOf(id))
    t.equal(recent.used, before + ids.length)
    t.strictSame((await verify(projection)).faults, [])
  }
})

await t.test('a fold of several companies from memory equals one of the ledger', together, async (t) => {
  await callAll()
  for (const projection of PROJECTIONS) {
    const before = recent.used
    const folded = await foldTogether(db, projection, ids, { recent })
    t.ok(folded.length === ids.length && folded.every(({ isEnd }) => isEnd))
    t.equal(recent.used, before + ids.length)
    for (const { companyId, upTo } of folded) t.equal(upTo, await headOf(companyId))
    t.strictSame((await verify(projection)).faults, [])
  }
})

/** Replaces the events that are not folded yet, as after a failover to a standby that lacked them. */
async function takeOver(): Promise<void> {
  const { rows } = await service.pool.query(
    `select e.company_id, e.position from events e
    join checkpoints c on c.company_id = e.company_id and c.projection = $1 and e.position > c.position`,
    [bulkUserLogs.name],
  )
  const replace = rows.map(
    ({ company_id: company, position }) => `update events
    set leaf_hash = sha256(leaf_hash), data = replace(data, '"Ana"', '"Eva"') where company_id = '${company}' and position = ${position}`,
  )
  await asSuperuser(service.urls.superUrl, ...replace)
}

await t.test('if the ledger and the remembered events differ, the ledger is folded', async (t) => {
  await callAll()
  await takeOver()
  const used = recent.used
  for (const projection of PROJECTIONS) {
    for (const id of ids) t.equal(await foldAlone(projection, id), await headOf(id))
    t.strictSame((await verify(projection)).faults, [])
  }
  t.equal(recent.used, used + ids.length, 'the first fold forgets the remembered events')
  const { rows } = await service.pool.query(
    `select count(*)::integer as n from ${EMPLOYEES} where attributes->>'first_name' = 'Eva'`,
  )
  t.ok(rows[0].n > 0)
})

await t.test(
  'companies whose ledger differs are not folded together, and their events are forgotten',
  together,
  async (t) => {
    await callAll()
    await takeOver()
    t.strictSame(await foldTogether(db, bulkUserLogs, ids, { recent }), [])
    const used = recent.used
    t.equal((await foldTogether(db, bulkUserLogs, ids, { recent })).length, ids.length, 'the ledger is read')
    t.equal(recent.used, used)
    for (const id of ids) await service.project(id)
    for (const projection of PROJECTIONS) t.strictSame((await verify(projection)).faults, [])
  },
)

await t.test('remembered events that the ledger lacks are not folded', async (t) => {
  const [id] = ids as [string]
  await makeHistory(service, service.company, 1)
  const lasting = await headOf(id)
  const { body } = await service.call('POST', '/v1/employees', { body: employee() })
  const company = `company_id = '${toUuid(id)}'`
  await asSuperuser(
    service.urls.superUrl,
    `delete from events where ${company} and position > ${lasting}`,
    `update heads set position = ${lasting} where ${company}`,
  )
  for (const projection of PROJECTIONS) {
    t.equal(await foldAlone(projection, id), lasting)
    t.strictSame((await verify(projection)).faults, [])
  }
  t.equal((await service.admin(`/bulk-user-logs/${body.log_id}`)).status, 404)
})

await t.test('workers fold the commits of their own process and of others', async (t) => {
  const beside = openCounted()
  const both = await startService(t, {}, { workers: true, recent: beside })
  const apart = await startService(t, {}, { urls: both.urls })
  const { key, admin } = both.company
  const isLogged = async (logId: string) => (await both.admin(`/bulk-user-logs/${logId}`, admin.token)).status === 200
  const create = async (by: typeof both) =>
    (await by.call('POST', '/v1/employees', { key, body: employee() })).body.log_id
  for (const by of [both, apart, both, both, apart]) {
    const logId = await create(by)
    await eventually('the entry is there', () => isLogged(logId))
  }
  t.ok(beside.used > 0)
})

await t.test("an erasure makes the process forget the company's events", async (t) => {
  const { body } = await service.call('POST', '/v1/employees', { key: companies[1]!.key, body: employee() })
  const [id] = ids.slice(1) as [string]
  const range = { after: (await headOf(id)) - 2, limit: 10 }
  t.ok(recent.callsBehind(id, { ...range, head: range.after + 2 }))
  const { status } = await service.manage(
    'POST',
    '/erasures',
    { employee_id: body.employees[0].id },
    companies[1]!.admin.token,
  )
  t.equal(status, 200)
  t.equal(recent.callsBehind(id, { ...range, head: range.after + 2 }), null)
})
