import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { PROJECTIONS } from '../../../projections/index.ts'
import type { Projection } from '../../../projections/projection.ts'
import { schemaOf } from '../../../projections/projection.ts'
import type { CallCounts, RecordedEvent } from '../../../src/domain/events.ts'
import { fromUuid, toUuid } from '../../../src/domain/ids.ts'
import { readEvent } from '../../../src/ledger/integrity/codec.ts'
import type { LedgerTables } from '../../../src/ledger/tables.ts'
import { ledgerFaults } from '../../support/ledger/verify-ledger.ts'
import type { Finding, FindingKind } from './finding.ts'
import { findings, firstOfEach } from './finding.ts'
import { recordsOf } from '../workload.ts'
import type { Attempt, Operation } from '../workload.ts'

/*
 * The oracle knows what must be true after a load, whatever happened to the program meanwhile, from what its clients were
 * answered and from nothing else. It is given a superuser's connection and reads the tables; it calls no code that a fault
 * of the program could bend, but for the hashes and the fold of an employee, which tests of their own hold.
 */

type Db = Kysely<LedgerTables>

/** Longest time that a client may wait for any answer, in milliseconds. */
const LONGEST_ANSWER_MS = 14_000
/** Most bytes of an answer that refuses a call. */
const LARGEST_REFUSAL = 1_000_000

/** Everything that is wrong after a load, the first few of each kind; nothing when all promises were kept. */
export async function oracle(
  db: Db,
  companyIds: string[],
  operations: Operation[],
  projections: readonly Projection[] = PROJECTIONS,
): Promise<Finding[]> {
  const found = operations.flatMap((operation) => answerFaults(operation))
  const now = (await sql<{ now: string }>`select clock_timestamp() as now`.execute(db)).rows[0]!.now
  const byCompany = Map.groupBy(operations, ({ companyId }) => companyId)
  for (const companyId of companyIds) {
    const rows = await db
      .selectFrom('events')
      .selectAll()
      .where('company_id', '=', toUuid(companyId))
      .orderBy('position')
      .execute()
    const events = rows.map(readEvent)
    const calls = callsOf(events)
    const byRequest = Map.groupBy(calls.values(), ({ closing }) => closing.data?.request_id)
    const ofLedger = await ledgerFaults(db, companyId)
    found.push(...ofLedger.map((text): Finding => ({ kind: text.includes('snapshot') ? 'snapshot' : 'ledger', text })))
    found.push(
      ...(byCompany.get(companyId) ?? []).flatMap((operation) =>
        effectFaults(operation, byRequest.get(operation.id) ?? []),
      ),
    )
    for (const call of calls.values()) found.push(...findings('wrong counts', countFaults(call)))
    found.push(...(await logFaults(db, companyId, calls)))
    found.push(...findings('wrong time', timeFaults(events, now)))
    found.push(...findings('wrong quota', await quotaFaults(db, companyId, calls)))
    for (const projection of projections) {
      // A ledger that is wrong may be one that cannot be folded: what is wrong with it was found above.
      const cannot = (error: unknown) =>
        findings('cannot be folded', [
          `${projection.name} cannot be folded anew from the events of ${companyId}: ${String(error)}`,
        ])
      found.push(...(await readModelFaults(db, companyId, projection, events).catch(cannot)))
    }
  }
  return firstOfEach(found)
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
function answerFaults({ id, attempts }: Operation): Finding[] {
  return attempts.flatMap(({ status, took, retryAfter, bytes }: Attempt) => {
    const found: Finding[] = []
    if (status === 500) found.push({ kind: 'internal error', text: `${id}: answered 500` })
    if (status === 503 && !retryAfter) found.push({ kind: 'no Retry-After', text: `${id}: 503 without Retry-After` })
    if (took > LONGEST_ANSWER_MS)
      found.push({ kind: 'slow answer', text: `${id}: no answer within ${Math.round(took)} ms` })
    if (status !== null && status >= 400 && bytes > LARGEST_REFUSAL)
      found.push({ kind: 'large answer', text: `${id}: refused with ${status} in ${bytes} bytes` })
    return found
  })
}

const EMPLOYEE_EVENT = /^Employee(?:Created|Updated|Deactivated|Reactivated)$/
/** Refusals that bind an idempotency key: a retry finds the very call. */
const BOUND = new Set([404, 409, 412, 422])
const REQUEST_TIMEOUT = 408

/** A success is in the ledger exactly once, a refusal changed nothing but its entry, what is unknown has at most one effect. */
function effectFaults(operation: Operation, own: Call[]): Finding[] {
  const { id, final, again } = operation
  const [completed, failed] = [own.filter(isCompleted), own.filter((call) => !isCompleted(call))]
  const found: Finding[] = []
  const find = (kind: FindingKind, what: string) => found.push({ kind, text: `${id}: ${what}` })
  if (operation.isCutOff) {
    if (own.length > 0) find('cut off and stored', `was cut off, has ${own.length} entries`)
    return found
  }
  for (const call of failed)
    if (call.events.some(({ type }) => EMPLOYEE_EVENT.test(type)))
      find('failed and applied', `the failed call ${call.id} changed employees`)
  for (const { id: callId, closing } of own) {
    const [counted, sent] = [closing.data?.counts.total, recordsOf(operation)]
    if (counted !== sent) find('wrong counts', `${sent} records were sent, ${callId} counts ${counted}`)
  }
  if (final === null) {
    if (completed.length > 1) find('doubled call', `an unknown outcome took effect ${completed.length} times`)
    return found
  }
  if (again && again.body.log_id !== final.body.log_id)
    find('repeated call', `answered ${final.body.log_id}, and ${again.body.log_id} when it was sent again`)
  if (final.status >= 300) return [...found, ...refusalFaults(operation, final, { completed, failed })]
  if (completed.length !== 1)
    find(
      completed.length === 0 ? 'lost call' : 'doubled call',
      `answered ${final.status}, stands in the ledger ${completed.length} times`,
    )
  const call = completed[0]
  if (call && call.id !== final.body.log_id)
    find('other call', `answered ${final.body.log_id}, the ledger has ${call.id}`)
  if (call) found.push(...findings('wrong content', contentFaults(id, final.body, operation.body, call)))
  return found
}

function isCompleted({ closing }: Call): boolean {
  return closing.type === 'ApiCallCompleted'
}

/** A refusal has an entry; exactly one, where it bound the idempotency key. A call that came too fast, or not to its end, has none. */
function refusalFaults(
  { id, attempts }: Operation,
  { status, body }: NonNullable<Operation['final']>,
  { completed, failed }: { completed: Call[]; failed: Call[] },
): Finding[] {
  const found: Finding[] = []
  const find = (kind: FindingKind, what: string) => found.push({ kind, text: `${id}: ${what}` })
  if (completed.length > 0) find('refused and applied', `refused with ${status}, and took effect`)
  if (failed.length === 0 && (status === REQUEST_TIMEOUT || body.code === 'rate_limited')) return found
  const isBound = BOUND.has(status) && body.code !== 'idempotency_key_reused'
  if (failed.length === 0) find('refusal without entry', `refused with ${status}, has no entry`)
  else if (isBound ? failed.length > 1 : failed.length > attempts.length)
    find('refusal with several entries', `refused with ${status}, has ${failed.length} entries`)
  else if (!failed.some((call) => call.id === body.log_id))
    find('other call', `answered ${body.log_id}, the ledger has another entry`)
  return found
}

/** What was answered is what the events say. */
function contentFaults(
  id: string,
  answered: NonNullable<Operation['final']>['body'],
  sent: unknown,
  call: Call,
): string[] {
  const faults: string[] = []
  if (answered.employees) {
    const created = call.events.flatMap((event) =>
      event.type === 'EmployeeCreated' ? [[event.stream, event.data?.attributes.email]] : [],
    )
    const expected = answered.employees.map((employee) => [employee.id, employee.email])
    if (JSON.stringify(created) !== JSON.stringify(expected))
      faults.push(`${id}: the created employees are not those that were answered`)
    const { employees } = (typeof sent === 'string' ? JSON.parse(sent) : sent) as { employees: { email: string }[] }
    const emails = employees.map(({ email }) => email)
    if (JSON.stringify(emails) !== JSON.stringify(created.map(([, email]) => email)))
      faults.push(`${id}: created what was not sent`)
  }
  for (const { id: employeeId, result, changed } of answered.results ?? []) {
    const own = call.events.filter(({ stream }) => stream === employeeId)
    const names = own.flatMap((event) =>
      event.type === 'EmployeeUpdated' ? Object.keys(event.data?.changes ?? {}) : ['status'],
    )
    if (names.toSorted().join() !== changed.toSorted().join())
      faults.push(`${id}: answered that ${changed.join()} changed, the events say ${names.join()}`)
    if ((result === 'no_updates') !== (own.length === 0))
      faults.push(`${id}: answered ${result} for ${own.length} events`)
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
    if (!sameCounts(counts, expected))
      faults.push(`${id}: its counts are ${JSON.stringify(counts)}, its events say ${JSON.stringify(expected)}`)
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
async function logFaults(db: Db, companyId: string, calls: Map<string, Call>): Promise<Finding[]> {
  const { rows } = await sql<{ call_id: string; status: string }>`
    select call_id, status from bulk_user_logs_v1.entries where company_id = ${toUuid(companyId)}`.execute(db)
  const shown = new Map<string, string>()
  const found: Finding[] = []
  for (const row of rows) {
    const id = fromUuid('log', row.call_id)
    if (shown.has(id)) found.push({ kind: 'doubled entry', text: `${id} has two entries` })
    shown.set(id, row.status)
    const call = calls.get(id)
    if (!call) found.push({ kind: 'wrong entry', text: `${id} is in the log and not in the ledger` })
    else if (isCompleted(call) !== (row.status === 'Completed'))
      found.push({ kind: 'wrong entry', text: `${id} is shown as ${row.status}` })
  }
  for (const id of calls.keys()) if (!shown.has(id)) found.push({ kind: 'missing entry', text: `${id} has no entry` })
  return found
}

const REQUEST_LASTS_MS = 60_000

/** Times come from the database's clock, whatever those of the processes say. */
function timeFaults(events: RecordedEvent[], now: string): string[] {
  return events.flatMap((event) => {
    if (event.recorded_at > now) return [`position ${event.position} was recorded in the future`]
    if (event.type !== 'ApiCallCompleted' && event.type !== 'ApiCallFailed') return []
    const before = Date.parse(event.recorded_at) - Date.parse(event.data?.requested_at ?? '')
    return before >= 0 && before < REQUEST_LASTS_MS
      ? []
      : [`${event.stream} was requested ${before} ms before it was recorded`]
  })
}

/** What a key was charged is what its calls in the ledger cost. The load makes no reading calls. */
async function quotaFaults(db: Db, companyId: string, calls: Map<string, Call>): Promise<string[]> {
  const usage = await db.selectFrom('api_key_usage').selectAll().where('company_id', '=', toUuid(companyId)).execute()
  return usage.flatMap((row) => {
    const apiId = fromUuid('key', row.api_id)
    const charged = [...calls.values()].filter(
      ({ closing }) => closing.data?.key.id === apiId && !isFree(closing),
    ).length
    return charged === row.requests_made
      ? []
      : [`${apiId} was charged ${row.requests_made} requests for ${charged} calls`]
  })
}

function isFree(closing: Closing): boolean {
  if (closing.type === 'ApiCallCompleted') return false
  const status = closing.data?.http_status ?? 500
  return status === 403 || status === 429 || status >= 500
}

/** The live tables of a projection are what folding the ledger anew gives, row by row. */
async function readModelFaults(
  db: Db,
  companyId: string,
  projection: Projection,
  events: RecordedEvent[],
): Promise<Finding[]> {
  const [live, scratch] = [schemaOf(projection), `oracle_${schemaOf(projection)}`]
  await sql`drop schema if exists ${sql.id(scratch)} cascade`.execute(db)
  await sql`create schema ${sql.id(scratch)}`.execute(db)
  await projection.createTables(db as unknown as Kysely<unknown>, scratch)
  await db
    .transaction()
    .execute((transaction) => projection.fold(transaction as never, scratch, [{ companyId, events }]))
  const tables = await sql<{
    name: string
  }>`select table_name as name from information_schema.tables where table_schema = ${scratch}`.execute(db)
  const found: Finding[] = []
  for (const { name } of tables.rows) {
    const rowsOf = (schema: string) =>
      sql`(select to_jsonb(t)::text from ${sql.id(schema, name)} t where company_id = ${toUuid(companyId)})`
    const { rows } = await sql<{ missing: number; extra: number }>`select
      (select count(*)::integer from (${rowsOf(scratch)} except all ${rowsOf(live)}) as m) as missing,
      (select count(*)::integer from (${rowsOf(live)} except all ${rowsOf(scratch)}) as e) as extra`.execute(db)
    const { missing, extra } = rows[0]!
    if (missing + extra > 0)
      found.push({
        kind: 'read model',
        text: `${live}.${name}: ${missing} rows are missing and ${extra} too many, compared with a rebuild`,
      })
  }
  await sql`drop schema ${sql.id(scratch)} cascade`.execute(db)
  return found
}

/** Whether every projection has folded every event of these companies, and none is parked. */
export async function isCaughtUp(
  db: Db,
  companyIds: string[],
  projections: readonly Projection[] = PROJECTIONS,
): Promise<boolean> {
  const { rows } = await sql<{ behind: number }>`
    select count(*)::integer as behind
    from heads h cross join unnest(${projections.map(({ name }) => name)}::text[], ${projections.map(({ version }) => version)}::integer[]) as p(name, version)
    left join checkpoints c on c.company_id = h.company_id and c.projection = p.name and c.version = p.version
    where h.company_id = any(${companyIds.map(toUuid)}::uuid[]) and (c.position is null or c.position < h.position)`.execute(
    db,
  )
  return rows[0]!.behind === 0
}
