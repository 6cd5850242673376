import fc from 'fast-check'
import t from 'tap'
import { readPeopleChanges, sumPeople } from '../../projections/employees/count-people.ts'
import { HOUR_MS } from '../../src/domain/local-times.ts'
import { PROJECTIONS } from '../../projections/index.ts'
import type { Projection } from '../../projections/projection.ts'
import { createTables, schemaOf } from '../../projections/projection.ts'
import type { RecentEvents } from '../../src/ledger/append/recent-events.ts'
import { createRecentEventsForWorkers } from '../../src/bootstrap/workers.ts'
import { openDatabase } from '../../src/postgres/kysely.ts'
import { openPool } from '../../src/postgres/pool.ts'
import { toUuid } from '../../src/domain/ids.ts'
import { doAtOnce } from '../../src/domain/pieces.ts'
import { readEvents } from '../support/ledger/company-events.ts'
import { retireRecords } from '../../src/workers/retire-records.ts'
import { foldNext } from '../../src/workers/project.ts'
import { inputs } from '../support/quick.ts'
import type { TestCompany } from '../support/service.ts'
import { earlier } from '../support/postgres/move-back.ts'
import { startService } from '../support/service.ts'
import { ledgerFaults } from '../support/ledger/verify-ledger.ts'

/*
 * After any history of calls, undoings, erasures and retirements, with read models that lag by any amount, the ledger
 * verifies. Read models that saw data before its erasure, in the ledger or in memory, equal a rebuild that never did, and
 * the people by status of each hour equal a count over the ledger.
 */

const recent = createRecentEventsForWorkers()
const used = { recent: 0 }
const service = await startService(t, {}, { recent })
const ownerPool = openPool({ url: service.urls.ownerUrl, name: 'test', max: 2 })
const owner = openDatabase<unknown>(ownerPool)
t.teardown(() => owner.destroy())

const EMAILS = ['a@x.com', 'b@x.com', 'c@x.com', 'd@x.com', 'e@x.com']
const email = fc.constantFrom(...EMAILS)
const externalId = fc.constantFrom('1', '2', '3', '4')
const nth = fc.nat(5)
const fields = {
  email,
  external_id: fc.option(externalId),
  job_title: fc.constantFrom('Dev', 7),
  manager_email: email,
  status: fc.constantFrom('active', 'inactive'),
}

const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('create' as const),
      sent: fc.record(fields, { requiredKeys: ['email'] }),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('patch' as const), nth, sent: fc.record(fields, { requiredKeys: [] }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('erase' as const), by: fc.constant('employee_id' as const), nth }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('erase' as const), by: fc.constant('email' as const), value: email }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('erase' as const),
      by: fc.constant('external_id' as const),
      value: externalId,
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('retire' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('undo' as const), nth: fc.nat(20) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('an hour passes' as const) }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('project' as const),
      which: fc.nat(PROJECTIONS.length - 1),
      remembers: fc.boolean(),
    }),
  },
)
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never

/** Erases everybody, by id or by email, and retires what was refused: a random history may have few of both. */
const EVERYBODY_ERASED = EMAILS.flatMap((value, nth): Step[] => [
  { kind: 'create', sent: { email: value } },
  { kind: 'patch', nth, sent: { job_title: 7 } },
  nth % 2 === 0 ? { kind: 'erase', by: 'employee_id', nth } : { kind: 'erase', by: 'email', value },
  { kind: 'project', which: nth % PROJECTIONS.length, remembers: true },
  { kind: 'retire' },
])

/** Somebody created inactive, somebody deactivated, and back, by an undo, too; and all of it with an erasure. */
const EVERY_STATUS = [true, false].flatMap((isErased): Step[] => [
  { kind: 'create', sent: { email: 'a@x.com', status: 'inactive' } },
  { kind: 'create', sent: { email: 'b@x.com' } },
  { kind: 'an hour passes' },
  { kind: 'project', which: 0, remembers: true },
  { kind: 'patch', nth: 1, sent: { status: 'inactive' } },
  { kind: 'undo', nth: 2 },
  { kind: 'an hour passes' },
  { kind: 'patch', nth: 0, sent: { status: 'active' } },
  { kind: 'patch', nth: 1, sent: { status: 'inactive' } },
  { kind: 'project', which: 0, remembers: false },
  ...(isErased ? ([0, 1].map((nth) => ({ kind: 'erase', by: 'employee_id', nth })) satisfies Step[]) : []),
])

const counts = { erased: 0, retired: 0, undone: 0 }

async function run(company: TestCompany, steps: Step[]): Promise<string[]> {
  const known: string[] = []
  const calls: string[] = []
  const faults: string[] = []
  const idOf = (at: number) => known[at % Math.max(1, known.length)] ?? 'emp_01h455vb4pex5vsknk084sn02q'
  for (const one of steps) {
    if (one.kind === 'project') await project(PROJECTIONS[one.which]!, company.id, one.remembers)
    else if (one.kind === 'an hour passes')
      await service.pool.query(
        `update heads set recorded_at = ${earlier('recorded_at', "interval '-1 hour'")} where company_id = $1`,
        [toUuid(company.id)],
      )
    else if (one.kind === 'undo') {
      if (calls.length === 0) continue
      const path = `/bulk-user-logs/${calls[one.nth % calls.length]}/undo`
      const { status } = await service.manage('POST', path, {}, company.admin.token)
      if (status >= 500) faults.push(`an undo was answered with ${status}`)
      if (status === 200) counts.undone += 1
    } else if (one.kind === 'retire') counts.retired += await retireRecords(service.pool, -1)
    else if (one.kind === 'erase') {
      const body = { [one.by]: 'nth' in one ? idOf(one.nth) : one.value }
      const { status } = await service.manage('POST', '/erasures', body, company.admin.token)
      if (![200, 404, 409].includes(status)) faults.push(`an erasure was answered with ${status}`)
      if (status === 200) counts.erased += 1
    } else {
      const options = {
        key: company.key,
        body: one.kind === 'create' ? { first_name: 'Ana', last_name: 'Li', ...one.sent } : one.sent,
      }
      const answer =
        one.kind === 'create'
          ? await service.call('POST', '/v1/employees', options)
          : await service.call('PATCH', `/v1/employees/${idOf(one.nth)}`, options)
      if (answer.status < 300) calls.push(answer.body.log_id)
      if (answer.status === 201) known.push(answer.body.employees[0].id)
      if (answer.status >= 500) faults.push(`a call was answered with ${answer.status}`)
    }
  }
  return faults
}

/** Folds all events, from the ledger or from those that the process remembers. */
async function project(projection: Projection, companyId: string, remembers: boolean): Promise<void> {
  const callsBehind: RecentEvents['callsBehind'] = (...asked) => {
    const calls = recent.callsBehind(...asked)
    if (calls) used.recent += 1
    return calls
  }
  for (let isDone = false; !isDone;) {
    const options = remembers ? { recent: { ...recent, callsBehind } } : {}
    ;({ isDone } = await foldNext(service.db, projection, companyId, options))
  }
}

let rebuilds = 0

/** Freezes a value and its members: no projection may change the events that others get. */
function frozen<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null) Object.values(value).forEach(frozen)
  return Object.freeze(value)
}

/** The live tables that differ from a fold of the ledger. */
async function rebuildFaults(companyId: string): Promise<string[]> {
  const events = frozen(await readEvents(service.db, companyId))
  const faults: string[] = []
  for (const projection of PROJECTIONS) {
    const schema = `rebuilt_${(rebuilds += 1)}`
    await ownerPool.query(`create schema ${schema}`)
    await createTables(owner, projection, schema)
    await owner
      .transaction()
      .execute((transaction) => projection.fold(transaction, schema, [{ companyId, events }], doAtOnce))
    const { rows: tables } = await ownerPool.query<{ name: string }>(
      'select tablename as name from pg_tables where schemaname = $1',
      [schema],
    )
    for (const { name } of tables) {
      const [live, rebuilt] = [
        await rowsOf(`${schemaOf(projection)}.${name}`, companyId),
        await rowsOf(`${schema}.${name}`, companyId),
      ]
      if (live !== rebuilt) faults.push(`${projection.name} ${name}: ${live} is not ${rebuilt}`)
    }
    await ownerPool.query(`drop schema ${schema} cascade`)
  }
  return faults
}

/** The hours whose people by status differ from what the events say of those who have not been erased. */
async function statusFaults(companyId: string): Promise<string[]> {
  const events = await readEvents(service.db, companyId)
  const changes = await readPeopleChanges(service.db, companyId, '2000-01-01T00:00:00.000Z')
  const erased = new Set(events.filter(({ type }) => type === 'EmployeeErased').map(({ stream }) => stream))
  const ends = [...new Set(events.map(({ recorded_at: at }) => Math.floor(Date.parse(at) / HOUR_MS) + 1))]
  return sumPeople(
    changes,
    ends.map((hour) => ({ to: hour * HOUR_MS })),
  ).flatMap(({ slot: { to }, active, inactive }) => {
    const statuses = new Map<string, string>()
    for (const { stream, type, data, recorded_at: at } of events) {
      if (erased.has(stream) || Date.parse(at) >= to) continue
      if (type === 'EmployeeCreated') statuses.set(stream, data!.attributes.status!)
      if (type === 'EmployeeDeactivated') statuses.set(stream, 'inactive')
      if (type === 'EmployeeReactivated') statuses.set(stream, 'active')
    }
    const all = [...statuses.values()]
    const counted = [all.filter((one) => one === 'active').length, all.filter((one) => one === 'inactive').length]
    return counted.join() === [active, inactive].join()
      ? []
      : [`${new Date(to).toISOString()}: ${active}, ${inactive} is not ${counted.join(', ')}`]
  })
}

/** A company's rows of a table, a line each, in a stable order. */
async function rowsOf(table: string, companyId: string): Promise<string> {
  const text = `select t::text as row from ${table} t where company_id = $1 order by 1`
  return (await ownerPool.query<{ row: string }>(text, [toUuid(companyId)])).rows.map(({ row }) => row).join('\n')
}

await t.test('after any history with erasures, the ledger verifies and read models equal a rebuild', async (t) => {
  let histories = 0
  const property = fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 30 }), async (steps) => {
    const company = await service.makeCompany(`Company ${(histories += 1)}`)
    const faults = await run(company, steps)
    await service.project(company.id)
    faults.push(...(await ledgerFaults(service.db, company.id)), ...(await rebuildFaults(company.id)))
    faults.push(...(await statusFaults(company.id)))
    if (faults.length > 0) throw new Error(faults.join('\n'))
  })
  await t.resolves(fc.assert(property, { numRuns: inputs(10, 25), examples: [[EVERYBODY_ERASED], [EVERY_STATUS]] }))
  const least = EMAILS.length
  t.ok(counts.erased >= least && counts.retired >= least, `${counts.erased} erased, ${counts.retired} records retired`)
  t.ok(counts.undone > 0, `${counts.undone} calls were undone`)
  t.ok(used.recent > 0, `${used.recent} batches were folded from memory`)
})
