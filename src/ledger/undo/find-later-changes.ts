import { sql } from 'kysely'
import { fromUuid, toUuid } from '#domain/ids'
import type { LedgerDb } from '../tables.ts'

/** An attribute of an employee, by its name in changes; null for anything about them. */
export interface ChangedAttribute {
  employeeId: string
  attribute: string | null
}

/** What set an attribute last. */
export interface LaterChange {
  position: number
  /** Null if no call did. */
  callId: string | null
  /** RFC 3339 UTC. */
  recordedAt: string
}

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
        when w.name = 'status' then type in ('EmployeeDeactivated', 'EmployeeReactivated')
        else type = 'EmployeeUpdated' and data::json -> 'changes' -> w.name is not null end
      order by position desc limit 1) e`.execute(db)
  const found = new Map(rows.map((row) => [row.nth, row]))
  return wanted.map((_, at) => {
    const row = found.get(at + 1)
    if (!row) return null
    const callId = row.call_id === null ? null : fromUuid('log', row.call_id)
    return { position: row.position, callId, recordedAt: row.recorded_at }
  })
}
