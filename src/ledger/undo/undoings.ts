import { sql } from 'kysely'
import type { NewEvent } from '#domain/events'
import { fromUuid, toUuid } from '#domain/ids'
import type { QueryClient } from '#postgres/query-client'
import type { LedgerDb } from '../tables.ts'

/*
 * Which completed calls took back another one. Their events say what they undo; these rows, written in the same
 * transaction, find it from the other side.
 */

/** A completed call that took back something of another one. */
export interface NewUndoing {
  companyId: string
  undoneId: string
  /** That of the event that closes the call. */
  position: number
  callId: string
  /** Whether nothing of the other call is left. */
  isWhole: boolean
}

/** What a decided call takes back; null if it is no undo, has failed, or found nothing to take back. */
export function findUndoing(
  { companyId, callId }: Pick<NewUndoing, 'companyId' | 'callId'>,
  events: readonly NewEvent[],
  position: number,
): NewUndoing | null {
  const closing = events.at(-1)
  if (closing?.type !== 'ApiCallCompleted' || closing.data.undoes === undefined) return null
  const { counts, left_out: leftOut, undoes } = closing.data
  if (counts.updated + counts.deactivated === 0) return null
  return { companyId, callId, position, undoneId: undoes, isWhole: counts.failed === 0 && leftOut === undefined }
}

/** Stores what calls took back, in the transaction that appends them. */
export function insertUndoings(client: QueryClient, undoings: readonly NewUndoing[]): Promise<unknown> {
  const rows = undoings.map(({ companyId, undoneId, position, callId, isWhole }) => ({
    c: toUuid(companyId),
    u: toUuid(undoneId),
    p: position,
    b: toUuid(callId),
    w: isWhole,
  }))
  return client.query({
    name: 'insert-undoings',
    text: `insert into undoings (company_id, undone_id, position, call_id, is_whole)
      select c, u, p, b, w from json_to_recordset($1) as t(c uuid, u uuid, p bigint, b uuid, w boolean)`,
    values: [JSON.stringify(rows)],
  })
}

/** A call that took back another one. */
export interface Undoing {
  id: string
  /** Whether nothing of the other call was left. */
  isWhole: boolean
  /** Whether it was taken back itself, all of it. */
  isUndone: boolean
}

/** The calls that are listed, the newest ones. */
export const MAX_UNDOINGS = 50

/** Reads which calls took back a call, newest first. */
export async function readUndoings(db: LedgerDb, companyId: string, callId: string): Promise<Undoing[]> {
  const { rows } = await sql<{ call_id: string; is_whole: boolean; is_undone: boolean }>`
    select u.call_id, u.is_whole, exists (
        select from undoings again
        where again.company_id = u.company_id and again.undone_id = u.call_id and again.is_whole) as is_undone
    from undoings u where u.company_id = ${toUuid(companyId)} and u.undone_id = ${toUuid(callId)}
    order by u.position desc limit ${MAX_UNDOINGS}`.execute(db)
  return rows.map((row) => ({ id: fromUuid('log', row.call_id), isWhole: row.is_whole, isUndone: row.is_undone }))
}
