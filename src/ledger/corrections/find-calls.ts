import { sql } from 'kysely'
import { problem } from '#domain/errors'
import type { CorrectedRecords } from '#domain/events'
import type { Operation } from '#domain/operations'
import { fromUuid, toUuid } from '#domain/ids'
import type { LedgerDb } from '#ledger/tables'
import { inTurns } from '#admission/turns'

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
