import { sql } from 'kysely'
import { fromUuid, toUuid } from '#domain/ids'
import { MAX_CORRECTIONS } from '#domain/uploads'
import type { LedgerDb } from '#ledger/tables'
import type { NewEvent, CorrectedRecords } from '#domain/events'
import type { QueryClient } from '#postgres/pool'
import { problem } from '#domain/errors'
import type { Operation } from '#domain/operations'
import { inTurns } from '#admission/turns'

/** How far a call is corrected. */
export interface Correction {
  /** How many of the records that it did not apply are known to be applied since. Each counts once. */
  applied: number
  /** How many records it did not apply. */
  total: number
  /** The newest calls that applied records of it, newest first. */
  by: string[]
}

/** The corrections of a call that are looked at, the oldest ones, so that what was known once stays known. */
const MAX_READ = 1_000

/** Reads how far a call is corrected; null if no call has corrected it. */
export async function readCorrection(
  db: LedgerDb,
  companyId: string,
  { id, total, unapplied }: Pick<FoundCall, 'id' | 'total' | 'unapplied'>,
): Promise<Correction | null> {
  const isOfCall = sql`company_id = ${toUuid(companyId)} and corrected_id = ${toUuid(id)}`
  const { rows } = await sql<{ call_id: string }>`select call_id from corrections where ${isOfCall}
    order by position desc limit ${MAX_CORRECTIONS}`.execute(db)
  if (rows.length === 0) return null
  const { rows: counted } = await sql<{ applied: number }>`
    select count(distinct applied.index)::integer as applied
    from (select records from corrections where ${isOfCall} order by position limit ${MAX_READ}) as c,
      unnest(c.records) as applied(index)
    where applied.index < ${total} and (${unapplied === total} or exists (
      select from events e where e.company_id = ${toUuid(companyId)} and e.stream_id = ${toUuid(id)}
        and e.type = 'EmployeeRecordRejected' and e.record_index = applied.index))`.execute(db)
  return { applied: counted[0]!.applied, total: unapplied, by: rows.map(({ call_id: uuid }) => fromUuid('log', uuid)) }
}

/** Whether every record of a call is applied. Of a call whose records could not be counted, nobody knows. */
export function isCorrected({ applied, total }: Pick<Correction, 'applied' | 'total'>): boolean {
  return total > 0 && applied === total
}

/*
 * Which completed calls correct a failed one. The events of a correction say what it corrects; these rows, written in
 * the same transaction, find it from the other side.
 */

/** A completed call that applied records of a failed one. */
export interface NewCorrection {
  companyId: string
  correctedId: string
  /** That of the event that closes the call. */
  position: number
  callId: string
  /** The indexes of the failed call's records; null if they are not known. */
  records: number[] | null
}

/** Lists what a decided call corrects: the records that it applied. A call that failed corrects nothing. */
export function listCorrections(
  { companyId, callId }: Pick<NewCorrection, 'companyId' | 'callId'>,
  events: readonly NewEvent[],
  lastPosition: number,
): NewCorrection[] {
  const at = events.findLastIndex(({ type }) => type === 'ApiCallCompleted')
  const closing = events[at]
  if (closing?.type !== 'ApiCallCompleted') return []
  const { corrects = [], corrected_records: places = {} } = closing.data
  const position = lastPosition - (events.length - 1 - at)
  const refused = new Set(events.flatMap(({ type, index }) => (type === 'EmployeeRecordRejected' ? [index] : [])))
  return corrects.flatMap((correctedId) => {
    const pairs = places[correctedId]
    const records = pairs?.filter(([own]) => !refused.has(own)).map(([, index]) => index) ?? null
    if (pairs?.length !== 0 && records?.length === 0) return []
    return [{ companyId, correctedId, position, callId, records }]
  })
}

/** Stores corrections, in the transaction that appends their calls. */
export function insertCorrections(client: QueryClient, corrections: readonly NewCorrection[]): Promise<unknown> {
  const rows = corrections.map(({ companyId, correctedId, position, callId, records }) => ({
    c: toUuid(companyId),
    f: toUuid(correctedId),
    p: position,
    b: toUuid(callId),
    r: records && `{${records.join(',')}}`,
  }))
  return client.query({
    name: 'insert-corrections',
    text: `insert into corrections (company_id, corrected_id, position, call_id, records)
      select c, f, p, b, r::integer[] from json_to_recordset($1) as t(c uuid, f uuid, p bigint, b uuid, r text)`,
    values: [JSON.stringify(rows)],
  })
}

/** The refusal of an id that no call of the company has. */
export const NO_SUCH_ENTRY = problem('log_not_found', 'No such log entry exists')

/** A writing call as the ledger has it, from the moment of its answer. Read models follow. */
export interface FoundCall {
  id: string
  /** That of the event that closes it. */
  position: number
  status: 'Completed' | 'Failed'
  operation: Operation
  /** RFC 3339 UTC. */
  requestedAt: string
  /** The number of its records. */
  total: number
  /** How many of its records were not applied: all of a failed call. */
  unapplied: number
  /** The records of other calls that it corrects, as far as they are known. */
  correctedRecords: CorrectedRecords
}

/** Whether a file can correct a call: it has failed, or it has applied only some of its records. */
export function isCorrectable({ status, unapplied }: Pick<FoundCall, 'status' | 'unapplied'>): boolean {
  return status === 'Failed' || unapplied > 0
}

/** Finds calls of a company in the ledger. The others are missing. */
export async function findCalls(db: LedgerDb, companyId: string, callIds: readonly string[]): Promise<FoundCall[]> {
  if (callIds.length === 0) return []
  const { rows } = await sql<FoundCall>`
    select stream_id as id, position, case type when 'ApiCallFailed' then 'Failed' else 'Completed' end as status,
      data::json ->> 'operation' as operation, data::json ->> 'requested_at' as "requestedAt", total,
      case type when 'ApiCallFailed' then total else (data::json -> 'counts' ->> 'failed')::integer end as unapplied,
      coalesce(data::json -> 'corrected_records', '{}') as "correctedRecords"
    from events cross join lateral (select (data::json -> 'counts' ->> 'total')::integer as total) as counted
    where company_id = ${toUuid(companyId)} and stream_id = any(${callIds.map(toUuid)}::uuid[])
      and type in ('ApiCallCompleted', 'ApiCallFailed')`.execute(db)
  return rows.map((call) => ({ ...call, id: fromUuid('log', call.id) }))
}

/** The indexes of the records that a call refused, in its order. */
export async function listRefusedIndexes(db: LedgerDb, companyId: string, callId: string): Promise<number[]> {
  const { rows } = await sql<{ record_index: number }>`select record_index from events
    where company_id = ${toUuid(companyId)} and stream_id = ${toUuid(callId)} and type = 'EmployeeRecordRejected'
    order by stream_version`.execute(db)
  return rows.map(({ record_index: index }) => index)
}

/**
 * The valid records of the failed call that the event at a position closes, by their indexes. Empty if there are none, or
 * if they are not kept.
 */
export async function readValidRecords(
  db: LedgerDb,
  companyId: string,
  position: number,
): Promise<Map<number, unknown>> {
  const parts = await db
    .selectFrom('failed_calls')
    .select('records')
    .where('company_id', '=', toUuid(companyId))
    .where('position', '=', position)
    .orderBy('part')
    .execute()
  const valid = new Map<number, unknown>()
  for await (const { records } of inTurns(parts))
    for (const [index, record] of Object.entries(JSON.parse(records) as Record<string, unknown>))
      valid.set(Number(index), record)
  return valid
}

/** Whether the valid records of the failed call that the event at a position closes are kept. */
export async function areValidKept(db: LedgerDb, companyId: string, position: number): Promise<boolean> {
  const row = await db
    .selectFrom('failed_calls')
    .select('part')
    .where('company_id', '=', toUuid(companyId))
    .where('position', '=', position)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}
