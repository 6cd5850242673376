import { sql } from 'kysely'
import { fromUuid, toUuid } from '#domain/ids'
import { readHead } from './read-head.ts'
import type { LedgerDb } from '../tables.ts'

/** Events outside calls, which an index finds, that one page searches. */
const MAX_SEEN = 10_000

/** The employees who were erased after a position. */
interface Erasures {
  employees: { id: string; position: number }[]
  /** The position up to which they are complete. */
  position: number
  /** Whether that is the head. */
  isComplete: boolean
}

/** Reads who was erased after a position, in order: at most `limit` people, and a bounded number of events. */
export async function readErasures(
  db: LedgerDb,
  companyId: string,
  { after, limit }: { after: number; limit: number },
): Promise<Erasures> {
  // Before the events, so that none before it are left out.
  const head = await readHead(db, companyId)
  const { rows } = await sql<{ position: number; stream_id: string | null }>`
    with seen as materialized (
      select position, stream_id, type from events
      where company_id = ${toUuid(companyId)} and call_id is null and position > ${after}
      order by position limit ${MAX_SEEN})
    select position, stream_id from (
      select position, stream_id from seen where type = 'EmployeeErased' order by position limit ${limit + 1}) erased
    union all select max(position), null from seen having count(*) = ${MAX_SEEN}`.execute(db)
  const found = rows.flatMap(({ position, stream_id: id }) =>
    id === null ? [] : { id: fromUuid('emp', id), position },
  )
  const searched = rows.find(({ stream_id: id }) => id === null)?.position
  const employees = found.slice(0, limit)
  const last = employees.at(-1)?.position ?? after
  if (found.length > limit) return { employees, position: last, isComplete: false }
  return searched === undefined
    ? { employees, position: Math.max(after, head.position, last), isComplete: true }
    : { employees, position: searched, isComplete: false }
}
