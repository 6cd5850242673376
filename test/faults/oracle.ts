import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { PROJECTIONS } from '../../projections/index.ts'
import type { Projection } from '../../projections/projection.ts'
import { schemaOf } from '../../projections/projection.ts'
import type { CallCounts, RecordedEvent } from '../../src/domain/events.ts'
import { fromUuid, toUuid } from '../../src/domain/ids.ts'
import { readEvent } from '../../src/ledger/codec.ts'
import type { LedgerTables } from '../../src/ledger/tables.ts'
import { ledgerFaults } from '../support/verify-ledger.ts'
import type { Attempt, Operation } from './workload.ts'

/*
 * The oracle knows what must be true after a load, whatever happened to the program meanwhile, from what its clients were
 * answered and from nothing else. It is given a superuser's connection and reads the tables; it calls no code that a fault
 * of the program could bend, but for the hashes and the fold of an employee, which tests of their own hold.
 */

type Db = Kysely<LedgerTables>

/** Longest time that a client may wait for any answer, in milliseconds. */
const LONGEST_ANSWER_MS = 14_000
const SHOWN_OF_A_KIND = 3

/** Everything that is wrong after a load, a line each; nothing when all promises were kept. */
export async function oracle(db: Db, companyIds: string[], operations: Operation[], projections: readonly Projection[] = PROJECTIONS): Promise<string[]> {
  const faults = operations.flatMap((operation) => answerFaults(operation))
  const now = (await sql<{ now: string }>`select clock_timestamp() as now`.execute(db)).rows[0]!.now
  for (const companyId of companyIds) {
    const rows = await db.selectFrom('events').selectAll().where('company_id', '=', toUuid(companyId)).orderBy('position').execute()
    const events = rows.map(readEvent)
    const calls = callsOf(events)
    faults.push(...(await ledgerFaults(db, companyId)))
    faults.push(...operations.filter((operation) => operation.companyId === companyId).flatMap((operation) => effectFaults(operation, calls)))
    for (const call of calls.values()) faults.push(...countFaults(call))
    faults.push(...(await logFaults(db, companyId, calls)))
    faults.push(...timeFaults(events, now))
    faults.push(...(await quotaFaults(db, companyId, calls)))
    for (const projection of projections) {
      // A ledger that is wrong may be one that cannot be folded: what is wrong with it was found above.
      const cannot = (error: unknown) => [`${projection.name} cannot be folded anew from the events of ${companyId}: ${String(error)}`]
      faults.push(...(await readModelFaults(db, companyId, projection, events).catch(cannot)))
    }
  }
  return shown(faults)
}

/** The first few faults of each kind, so that many of one do not hide another. */
function shown(faults: string[]): string[] {
  const kinds = Map.groupBy(faults, (fault) => fault.replaceAll(/op-[\d-]+|[a-z]+_[a-z0-9]{26}|\d+|\{.*?\}/g, ''))
  const more = (count: number) => (count > SHOWN_OF_A_KIND ? [`and ${count - SHOWN_OF_A_KIND} more like this`] : [])
  return [...kinds.values()].flatMap((kind) => [...kind.slice(0, SHOWN_OF_A_KIND), ...more(kind.length)])
}

type Closing = Extract<RecordedEvent, { type: 'ApiCallCompleted' | 'ApiCallFailed' }>

interface Call {
  id: string
  closing: Closing
  /** Its other events. */
  events: RecordedEvent[]
}

function callsOf(events: RecordedEvent[]): Map<string, Call> {
  const open = new Map<string, RecordedEvent[]>()
  const calls = new Map<string, Call>()
  for (const event of events) {
    if (event.call_id === null) continue
    if (event.type === 'ApiCallCompleted' || event.type === 'ApiCallFailed') {
      calls.set(event.call_id, { id: event.call_id, closing: event, events: open.get(event.call_id) ?? [] })
    } else open.set(event.call_id, [...(open.get(event.call_id) ?? []), event])
  }
  return calls
}

/** What a client may be answered at all: nothing takes for ever, a fault is never ours, and 503 says when to come again. */
function answerFaults({ id, attempts }: Operation): string[] {
  return attempts.flatMap((attempt: Attempt) => {
    const faults: string[] = []
    if (attempt.status === 500) faults.push(`${id}: answered 500`)
    if (attempt.status === 503 && !attempt.retryAfter) faults.push(`${id}: 503 without Retry-After`)
    if (attempt.took > LONGEST_ANSWER_MS) faults.push(`${id}: no answer within ${Math.round(attempt.took)} ms`)
    return faults
  })
}

const EMPLOYEE_EVENT = /^Employee(?:Created|Updated|Deactivated|Reactivated)$/
/** Refusals that bind an idempotency key: a retry finds the very call. */
const BOUND = new Set([404, 409, 412, 422])

/** A success is in the ledger exactly once, a refusal changed nothing but its entry, what is unknown has at most one effect. */
function effectFaults({ id, final, again, attempts, body }: Operation, calls: Map<string, Call>): string[] {
  const own = [...calls.values()].filter(({ closing }) => closing.data?.request_id === id)
  const completed = own.filter(({ closing }) => closing.type === 'ApiCallCompleted')
  const failed = own.filter(({ closing }) => closing.type === 'ApiCallFailed')
  const faults: string[] = []
  const fault = (what: string) => faults.push(`${id}: ${what}`)
  for (const call of failed) if (call.events.some(({ type }) => EMPLOYEE_EVENT.test(type))) fault(`the failed call ${call.id} changed employees`)
  if (final === null) {
    if (completed.length > 1) fault(`an unknown outcome took effect ${completed.length} times`)
    return faults
  }
  if (again && again.body.log_id !== final.body.log_id) fault(`answered ${final.body.log_id}, and ${again.body.log_id} when it was sent again`)
  if (final.status < 300) {
    if (completed.length !== 1) fault(`answered ${final.status}, stands in the ledger ${completed.length} times`)
    const call = completed[0]
    if (call && call.id !== final.body.log_id) fault(`answered ${final.body.log_id}, the ledger has ${call.id}`)
    if (call) faults.push(...contentFaults(id, final.body, body, call))
    return faults
  }
  if (completed.length > 0) fault(`refused with ${final.status}, and took effect`)
  const isBound = BOUND.has(final.status) && final.body.code !== 'idempotency_key_reused'
  if (failed.length === 0 || (isBound ? failed.length > 1 : failed.length > attempts.length)) fault(`refused, has ${failed.length} entries`)
  if (!failed.some((call) => call.id === final.body.log_id)) fault(`answered ${final.body.log_id}, the ledger has another entry`)
  return faults
}

/** What was answered is what the events say. */
function contentFaults(id: string, answered: NonNullable<Operation['final']>['body'], sent: unknown, call: Call): string[] {
  const faults: string[] = []
  if (answered.employees) {
    const created = call.events.flatMap((event) => (event.type === 'EmployeeCreated' ? [[event.stream, event.data?.attributes.email]] : []))
    const expected = answered.employees.map((employee) => [employee.id, employee.email])
    if (JSON.stringify(created) !== JSON.stringify(expected)) faults.push(`${id}: the created employees are not those that were answered`)
    const emails = (sent as { employees: { email: string }[] }).employees.map(({ email }) => email)
    if (JSON.stringify(emails) !== JSON.stringify(created.map(([, email]) => email))) faults.push(`${id}: created what was not sent`)
  }
  for (const { id: employeeId, result, changed } of answered.results ?? []) {
    const own = call.events.filter(({ stream }) => stream === employeeId)
    const names = own.flatMap((event) => (event.type === 'EmployeeUpdated' ? Object.keys(event.data?.changes ?? {}) : ['status']))
    if (names.toSorted().join() !== changed.toSorted().join()) faults.push(`${id}: answered that ${changed.join()} changed, the events say ${names.join()}`)
    if ((result === 'no_updates') !== (own.length === 0)) faults.push(`${id}: answered ${result} for ${own.length} events`)
  }
  return faults
}

/** The five counts by the contract, from the events of the call. */
function countFaults({ id, closing, events }: Call): string[] {
  const { data } = closing
  if (!data) return [`${id}: its closing event has no data`]
  const { counts, operation } = data
  const faults: string[] = []
  if (closing.type === 'ApiCallCompleted') {
    const byIndex = new Map<number, string[]>()
    for (const { index, type } of events) byIndex.set(index!, [...(byIndex.get(index!) ?? []), type])
    const deactivated = [...byIndex.values()].filter((types) => types.includes('EmployeeDeactivated')).length
    const unchanged = closing.data?.unchanged.length ?? 0
    const total = byIndex.size + unchanged
    const expected: CallCounts =
      operation === 'create'
        ? { total, updated: 0, deactivated: 0, failed: 0, no_updates: 0 }
        : { total, updated: byIndex.size - deactivated, deactivated, failed: 0, no_updates: unchanged }
    if (!sameCounts(counts, expected)) faults.push(`${id}: its counts are ${JSON.stringify(counts)}, its events say ${JSON.stringify(expected)}`)
  } else {
    const rejected = new Set(events.map(({ index }) => index)).size
    const isPart = operation === 'create' && rejected > 0
    const failed = isPart ? rejected : counts.total
    if (!sameCounts(counts, { total: counts.total, updated: 0, deactivated: 0, failed, no_updates: 0 })) {
      faults.push(`${id}: the counts of a failed call are ${JSON.stringify(counts)}`)
    }
  }
  return faults
}

function sameCounts(a: CallCounts, b: CallCounts): boolean {
  return (Object.keys(b) as (keyof CallCounts)[]).every((name) => a[name] === b[name])
}

/** Bulk User Logs has one entry for each call, and no other. */
async function logFaults(db: Db, companyId: string, calls: Map<string, Call>): Promise<string[]> {
  const { rows } = await sql<{ call_id: string; status: string }>`
    select call_id, status from bulk_user_logs_v1.entries where company_id = ${toUuid(companyId)}`.execute(db)
  const shown = new Map<string, string>()
  const faults: string[] = []
  for (const row of rows) {
    const id = fromUuid('log', row.call_id)
    if (shown.has(id)) faults.push(`${id} has two entries`)
    shown.set(id, row.status)
    const call = calls.get(id)
    if (!call) faults.push(`${id} is in the log and not in the ledger`)
    else if ((call.closing.type === 'ApiCallCompleted') !== (row.status === 'Completed')) faults.push(`${id} is shown as ${row.status}`)
  }
  for (const id of calls.keys()) if (!shown.has(id)) faults.push(`${id} has no entry`)
  return faults
}

const REQUEST_LASTS_MS = 60_000

/** Times come from the database's clock, whatever those of the processes say. */
function timeFaults(events: RecordedEvent[], now: string): string[] {
  return events.flatMap((event) => {
    if (event.recorded_at > now) return [`position ${event.position} was recorded in the future`]
    if (event.type !== 'ApiCallCompleted' && event.type !== 'ApiCallFailed') return []
    const before = Date.parse(event.recorded_at) - Date.parse(event.data?.requested_at ?? '')
    return before >= 0 && before < REQUEST_LASTS_MS ? [] : [`${event.stream} was requested ${before} ms before it was recorded`]
  })
}

/** What a key was charged is what its calls in the ledger cost. The load makes no reading calls. */
async function quotaFaults(db: Db, companyId: string, calls: Map<string, Call>): Promise<string[]> {
  const usage = await db.selectFrom('api_key_usage').selectAll().where('company_id', '=', toUuid(companyId)).execute()
  return usage.flatMap((row) => {
    const apiId = fromUuid('key', row.api_id)
    const charged = [...calls.values()].filter(({ closing }) => closing.data?.key.id === apiId && !isFree(closing)).length
    return charged === row.requests_made ? [] : [`${apiId} was charged ${row.requests_made} requests for ${charged} calls`]
  })
}

function isFree(closing: Closing): boolean {
  if (closing.type === 'ApiCallCompleted') return false
  const status = closing.data?.http_status ?? 500
  return status === 403 || status === 429 || status >= 500
}

/** The live tables of a projection are what folding the ledger anew gives, row by row. */
async function readModelFaults(db: Db, companyId: string, projection: Projection, events: RecordedEvent[]): Promise<string[]> {
  const [live, scratch] = [schemaOf(projection), `oracle_${schemaOf(projection)}`]
  await sql`drop schema if exists ${sql.id(scratch)} cascade`.execute(db)
  await sql`create schema ${sql.id(scratch)}`.execute(db)
  await projection.createTables(db as unknown as Kysely<unknown>, scratch)
  await db.transaction().execute((transaction) => projection.fold(transaction as never, scratch, [{ companyId, events }]))
  const tables = await sql<{ name: string }>`select table_name as name from information_schema.tables where table_schema = ${scratch}`.execute(db)
  const faults: string[] = []
  for (const { name } of tables.rows) {
    const rowsOf = (schema: string) => sql`(select to_jsonb(t)::text from ${sql.id(schema, name)} t where company_id = ${toUuid(companyId)})`
    const { rows } = await sql<{ missing: number; extra: number }>`select
      (select count(*)::integer from (${rowsOf(scratch)} except all ${rowsOf(live)}) as m) as missing,
      (select count(*)::integer from (${rowsOf(live)} except all ${rowsOf(scratch)}) as e) as extra`.execute(db)
    const { missing, extra } = rows[0]!
    if (missing + extra > 0) faults.push(`${live}.${name}: ${missing} rows are missing and ${extra} too many, compared with a rebuild`)
  }
  await sql`drop schema ${sql.id(scratch)} cascade`.execute(db)
  return faults
}

/** Whether every projection has folded every event of these companies, and none is parked. */
export async function isCaughtUp(db: Db, companyIds: string[], projections: readonly Projection[] = PROJECTIONS): Promise<boolean> {
  const { rows } = await sql<{ behind: number }>`
    select count(*)::integer as behind
    from heads h cross join unnest(${projections.map(({ name }) => name)}::text[], ${projections.map(({ version }) => version)}::integer[]) as p(name, version)
    left join checkpoints c on c.company_id = h.company_id and c.projection = p.name and c.version = p.version
    where h.company_id = any(${companyIds.map(toUuid)}::uuid[]) and (c.position is null or c.position < h.position)`.execute(db)
  return rows[0]!.behind === 0
}
