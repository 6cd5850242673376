import { sql } from 'kysely'
import { toUuid } from '../../domain/ids.ts'
import type { LedgerDb } from '../tables.ts'

/** The events that are looked at. A read model that is further behind than this has stopped. */
const MAX_EVENTS = 10_000

/**
 * Finds when each of these keys made the last of the calls that a projection has not folded yet, RFC 3339 UTC. Keys that
 * made none of them are missing.
 */
export async function findUnfoldedCallsOf(
  db: LedgerDb,
  companyId: string,
  projection: { name: string; version: number },
  keyIds: readonly string[],
): Promise<Map<string, string>> {
  if (keyIds.length === 0) return new Map()
  const company = toUuid(companyId)
  const { rows } = await sql<{ actor: string; recorded_at: string }>`
    with folded as (
      select coalesce((select position from checkpoints where company_id = ${company} and projection = ${projection.name}
        and version = ${projection.version}), 0) as position
    )
    select e.actor, max(e.recorded_at) as recorded_at from events e cross join folded f
    where e.company_id = ${company} and e.position > f.position and e.position <= f.position + ${MAX_EVENTS}::integer
      and e.type in ('ApiCallCompleted', 'ApiCallFailed') and e.actor = any(${[...keyIds]}::text[])
    group by e.actor`.execute(db)
  return new Map(rows.map(({ actor, recorded_at: recordedAt }) => [actor, recordedAt]))
}
