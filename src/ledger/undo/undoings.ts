import { sql } from 'kysely'
import type { EventType, NewEvent, RecordedEvent } from '#domain/events'
import type { EmployeeStreamEvent } from '#domain/employees/employee'
import { fromUuid, toUuid } from '#domain/ids'
import type { QueryClient } from '#postgres/pool'
import type { LedgerDb } from '#ledger/tables'
import { inTurns } from '#admission/turns'
import type { ReadRecord } from '#domain/calls/call-records'
import { planUndo } from '#domain/calls/plan-undo'
import { EVENT_TYPES, isOfCall } from '#domain/event-types'
import type { FoundCall } from '#ledger/corrections/corrections'
import { readEventPage } from '#ledger/read/read-events'

/*
 * Which completed calls took back another one. Their events say what they undo; these rows, written in the same
 * transaction, find it from the other side.
 */

/** A completed call that took back something of another one. */
interface NewUndoing {
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
  const company = toUuid(companyId)
  const { rows } = await sql<{ call_id: string; is_whole: boolean; is_undone: boolean }>`
    select u.call_id, u.is_whole, exists (
        select from undoings again
        where again.company_id = ${company} and again.undone_id = u.call_id and again.is_whole) as is_undone
    from undoings u where u.company_id = ${company} and u.undone_id = ${toUuid(callId)}
    order by u.position desc limit ${MAX_UNDOINGS}`.execute(db)
  return rows.map((row) => ({ id: fromUuid('log', row.call_id), isWhole: row.is_whole, isUndone: row.is_undone }))
}

/** The events that change an employee. A record has two at most. */
const CHANGING = (Object.keys(EVENT_TYPES) as EventType[]).filter(
  (type) => EVENT_TYPES[type].stream === 'emp' && isOfCall(type),
)
const EVENTS_OF_RECORD = 2
const PAGE = { limit: 1_000, bytes: 2 * 1024 * 1024 }

/** Reads what a call changed, as the records that take it back. A call that has failed changed nothing. */
export async function readUndo(
  db: LedgerDb,
  companyId: string,
  { id, position, status, total }: Pick<FoundCall, 'id' | 'position' | 'status' | 'total'>,
): Promise<ReadRecord[]> {
  if (status === 'Failed') return []
  const events: RecordedEvent[] = []
  // The events of a call are contiguous, and the one that closes it is the last.
  let after = Math.max(0, position - 1 - EVENTS_OF_RECORD * total)
  for (let isEnd = false; !isEnd;) {
    const page = await readEventPage(db, companyId, { after, upTo: position - 1, types: CHANGING }, PAGE)
    for (const event of page.events) if (event.call_id === id) events.push(event)
    after = page.events.at(-1)?.position ?? position
    isEnd = page.isEnd
  }
  const records: ReadRecord[] = []
  for await (const record of inTurns(planUndo(events))) records.push(record)
  return records
}

/** An attribute of an employee, by its name in changes; null for anything about them. */
interface ChangedAttribute {
  employeeId: string
  attribute: string | null
}

/** What set an attribute last. */
interface LaterChange {
  position: number
  /** Null if no call did. */
  callId: string | null
  /** RFC 3339 UTC. */
  recordedAt: string
}

/** Whether an event sets the status of an employee, and the end of their provisioning. */
const SETS_STATUS = {
  EmployeeCreated: true,
  EmployeeUpdated: false,
  EmployeeDeactivated: true,
  EmployeeReactivated: true,
  EmployeeDeprovisioned: true,
  EmployeeErased: true,
} as const satisfies Record<EmployeeStreamEvent['type'], boolean>

const SETTING_STATUS = Object.entries(SETS_STATUS).flatMap(([type, setsIt]) => (setsIt ? [type] : []))

/** How many of an employee's events are looked at, the newest ones. */
const MAX_LOOKED_AT = 1_000

/** Finds the last event between two positions that set each of these attributes. Null if none did, or it is too far back. */
export async function findLaterChanges(
  db: LedgerDb,
  companyId: string,
  wanted: readonly ChangedAttribute[],
  { after, upTo }: { after: number; upTo: number },
): Promise<(LaterChange | null)[]> {
  if (wanted.length === 0) return []
  const names = wanted.map(({ attribute }) => attribute)
  const { rows } = await sql<{ nth: number; position: number; call_id: string | null; recorded_at: string }>`
    select w.nth::integer, e.position, e.call_id, e.recorded_at
    from unnest(${wanted.map(({ employeeId }) => toUuid(employeeId))}::uuid[], ${names}::text[])
      with ordinality as w(employee_id, name, nth)
    cross join lateral (
      select position, call_id, recorded_at from (
        select position, call_id, recorded_at, type, data from events
        where company_id = ${toUuid(companyId)} and stream_id = w.employee_id
        order by stream_version desc limit ${MAX_LOOKED_AT}) newest
      where position > ${after} and position <= ${upTo} and case
        when w.name is null then true
        when type = any(${SETTING_STATUS}) then w.name in ('status', 'deprovisioned_at')
        else data::json -> 'changes' -> w.name is not null end
      order by position desc limit 1) e`.execute(db)
  const found = new Map(rows.map((row) => [row.nth, row]))
  return wanted.map((_, at) => {
    const row = found.get(at + 1)
    if (!row) return null
    const callId = row.call_id === null ? null : fromUuid('log', row.call_id)
    return { position: row.position, callId, recordedAt: row.recorded_at }
  })
}
