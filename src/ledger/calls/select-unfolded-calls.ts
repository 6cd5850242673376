import { sql, type RawBuilder } from 'kysely'
import { toUuid } from '#domain/ids'
import type { Row } from '../tables.ts'

/** The events that are looked at. A read model that is further behind than this has stopped. */
const MAX_EVENTS = 10_000

/** The last of the calls that a key, the actor, has made. */
export type UnfoldedCall = Row<'events', 'actor' | 'recorded_at'>

/** Selects the last of the calls that a projection has not folded yet, of each of these keys that made any. */
export function selectUnfoldedCalls(
  companyId: string,
  projection: { name: string; version: number },
  keyIds: readonly string[],
): RawBuilder<UnfoldedCall> {
  const company = toUuid(companyId)
  return sql`
    with folded as (
      select coalesce((select position from checkpoints where company_id = ${company}
        and projection = ${projection.name}
        and version = ${projection.version}), 0) as position
    )
    select e.actor, max(e.recorded_at) as recorded_at from events e cross join folded f
    where e.company_id = ${company} and e.position > f.position and e.position <= f.position + ${MAX_EVENTS}::integer
      and e.type in ('ApiCallCompleted', 'ApiCallFailed') and e.actor = any(${[...keyIds]}::text[])
    group by e.actor`
}
