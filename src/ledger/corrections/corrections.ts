import { sql } from 'kysely'
import { fromUuid, toUuid } from '#domain/ids'
import { MAX_CORRECTIONS } from '#domain/uploads'
import type { LedgerDb } from '#ledger/tables'
import type { FoundCall } from './find-calls.ts'
import type { NewEvent } from '#domain/events'
import type { QueryClient } from '#postgres/pool'

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
