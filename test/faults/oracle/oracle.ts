import { sql } from 'kysely'
import { PROJECTIONS } from '../../../projections/index.ts'
import type { Projection } from '../../../projections/projection.ts'
import { createTables, schemaOf } from '../../../projections/projection.ts'
import type { RecordedEvent } from '../../../src/domain/events.ts'
import { doAtOnce } from '../../../src/domain/pieces.ts'
import { fromUuid, toUuid } from '../../../src/domain/ids.ts'
import { readEvent } from '../../../src/ledger/integrity/codec.ts'
import type { LedgerDb } from '../../../src/ledger/tables.ts'
import { ledgerFaults } from '../../support/ledger/verify-ledger.ts'
import type { Call, Closing } from './call-faults.ts'
import { callsOf, countFaults, effectFaults, isCompleted, recordsExpected } from './call-faults.ts'
import type { Finding } from './finding.ts'
import { findings, firstOfEach } from './finding.ts'
import type { Attempt, Operation } from '../workload.ts'
import { ENTRIES } from '../../support/postgres/projection-tables.ts'

/*
 * The oracle knows what must be true after a load, whatever happened to the program, from its clients' answers alone.
 * It reads the tables over a superuser's connection. It uses no code that a fault could affect, except the hashes and
 * the fold of an employee, which have their own tests.
 */

type Db = LedgerDb

/** The longest time a client may wait for an answer, in milliseconds. */
const MAX_ANSWER_MS = 14_000
/** The largest size of a refusal, in bytes. */
const MAX_REFUSAL = 1_000_000

/** Everything that is wrong after a load, the first few of each kind; nothing when all promises were kept. */
export async function oracle(
  db: Db,
  companyIds: string[],
  operations: Operation[],
  projections: readonly Projection[] = PROJECTIONS,
): Promise<Finding[]> {
  const found = operations.flatMap((operation) => answerFaults(operation))
  const byCompany = Map.groupBy(operations, ({ companyId }) => companyId)
  for (const companyId of companyIds) {
    const rows = await db
      .selectFrom('events')
      .selectAll()
      .where('company_id', '=', toUuid(companyId))
      .orderBy('position')
      .execute()
    // The schedule may append events while the oracle reads.
    const now = (await sql<{ now: string }>`select clock_timestamp() as now`.execute(db)).rows[0]!.now
    const events = rows.map(readEvent)
    const calls = callsOf(events)
    const byRequest = Map.groupBy(calls.values(), ({ closing }) => closing.data?.request_id)
    const ofLedger = await ledgerFaults(db, companyId)
    found.push(
      ...ofLedger.map((text): Finding => ({ kind: text.includes('directory') ? 'directory' : 'ledger', text })),
    )
    found.push(
      ...(byCompany.get(companyId) ?? []).flatMap((operation) =>
        effectFaults(operation, byRequest.get(operation.id) ?? []),
      ),
    )
    for (const call of calls.values()) found.push(...findings('wrong counts', countFaults(call)))
    found.push(...(await logFaults(db, companyId, calls)))
    found.push(...findings('wrong time', timeFaults(events, now)))
    found.push(...findings('wrong quota', await quotaFaults(db, companyId, calls, operations)))
    found.push(...findings('beyond a limit', limitFaults(events, calls)))
    for (const projection of projections) {
      // A wrong ledger may not fold; the check above has found what is wrong with it.
      const cannot = (error: unknown) =>
        findings('cannot be folded', [
          `${projection.name} cannot be rebuilt from the events of ${companyId}: ${String(error)}`,
        ])
      found.push(...(await readModelFaults(db, companyId, projection, events).catch(cannot)))
    }
  }
  return firstOfEach(found)
}

/** Which answers a client may get: in bounded time, never a 500, and 503 only with Retry-After. */
function answerFaults({ id, attempts, isHostile }: Operation): Finding[] {
  return attempts.flatMap(({ status, took, retryAfter, bytes }: Attempt) => {
    const found: Finding[] = []
    if (status === 500) found.push({ kind: 'internal error', text: `${id}: answered 500` })
    if (status === 503 && !retryAfter) found.push({ kind: 'no Retry-After', text: `${id}: 503 without Retry-After` })
    // A hostile caller waits in its own line, and for the connections that it opens all at once.
    if (took > MAX_ANSWER_MS && !isHostile)
      found.push({ kind: 'slow answer', text: `${id}: no answer within ${Math.round(took)} ms` })
    if (status !== null && status >= 400 && bytes > MAX_REFUSAL)
      found.push({ kind: 'large answer', text: `${id}: refused with ${status} in ${bytes} bytes` })
    return found
  })
}

/** Bulk User Logs has one entry for each call, which says what happened to each of its records, and no other. */
async function logFaults(db: Db, companyId: string, calls: Map<string, Call>): Promise<Finding[]> {
  const { rows } = await sql<{ call_id: string; status: string; first: number; outcomes: string | null }>`
    select call_id, status, first_position as first, encode(outcomes, 'hex') as outcomes from ${sql.raw(ENTRIES)} where company_id = ${toUuid(companyId)}`.execute(
    db,
  )
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
    else {
      const { first, outcomes } = recordsExpected(call)
      if (row.first !== first || row.outcomes !== outcomes)
        found.push({ kind: 'wrong entry', text: `the records of ${id} are shown as ${row.outcomes}, not ${outcomes}` })
    }
  }
  for (const id of calls.keys()) if (!shown.has(id)) found.push({ kind: 'missing entry', text: `${id} has no entry` })
  return found
}

const REQUEST_LASTS_MS = 60_000

/** Times come from the database's clock, whatever the processes' clocks say. */
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

/** A key's charges are the cost of its calls in the ledger, and of its reads, of which one without an answer may cost. */
async function quotaFaults(
  db: Db,
  companyId: string,
  calls: Map<string, Call>,
  operations: Operation[],
): Promise<string[]> {
  const usage = await db.selectFrom('api_key_usage').selectAll().where('company_id', '=', toUuid(companyId)).execute()
  return usage.flatMap((row) => {
    const apiId = fromUuid('key', row.api_id)
    const charged = [...calls.values()].filter(
      ({ closing }) => closing.data?.key?.id === apiId && !isFree(closing),
    ).length
    const reads = operations.filter((one) => one.apiId === apiId && one.method === 'GET')
    const least = charged + reads.filter(({ final }) => final !== null).length
    return row.requests_made >= least && row.requests_made <= charged + reads.length
      ? []
      : [`${apiId} was charged ${row.requests_made} requests for ${charged} calls and ${reads.length} reads`]
  })
}

/** No key deactivates more people in a day than it may. The load allows nothing beyond. */
function limitFaults(events: readonly RecordedEvent[], calls: Map<string, Call>): string[] {
  return events.flatMap((event) => {
    const limit = event.type === 'ApiKeyLimitsChanged' ? event.data?.to.max_deactivations : null
    if (typeof limit !== 'number') return []
    const own = [...calls.values()].filter((call) => isCompleted(call) && call.closing.data?.key?.id === event.stream)
    const days = Map.groupBy(own, ({ closing }) => closing.recorded_at.slice(0, 10))
    return [...days].flatMap(([day, some]) => {
      const done = some.reduce((sum, { closing }) => sum + (closing.data?.counts.deactivated ?? 0), 0)
      return done <= limit ? [] : [`${event.stream} deactivated ${done} people on ${day}, and may ${limit}`]
    })
  })
}

function isFree(closing: Closing): boolean {
  if (closing.type === 'ApiCallCompleted') return false
  const status = closing.data?.http_status ?? 500
  return status === 403 || status === 429 || status >= 500
}

/** A projection's live tables equal a rebuild from the ledger, row by row. */
function readModelFaults(
  db: Db,
  companyId: string,
  projection: Projection,
  events: RecordedEvent[],
): Promise<Finding[]> {
  return db.connection().execute(async (connection) => {
    // A cluster would make the scratch tables on every machine. PostgreSQL accepts settings of extensions it lacks.
    await sql`set citus.enable_ddl_propagation = off`.execute(connection)
    return compareWithRebuild(connection, companyId, projection, events)
  })
}

async function compareWithRebuild(
  db: Db,
  companyId: string,
  projection: Projection,
  events: RecordedEvent[],
): Promise<Finding[]> {
  const [live, scratch] = [schemaOf(projection), `oracle_${schemaOf(projection)}`]
  await sql`drop schema if exists ${sql.id(scratch)} cascade`.execute(db)
  await sql`create schema ${sql.id(scratch)}`.execute(db)
  await createTables(db, projection, scratch)
  await db
    .transaction()
    .execute((transaction) => projection.fold(transaction as never, scratch, [{ companyId, events }], doAtOnce))
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
