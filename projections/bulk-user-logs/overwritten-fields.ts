import { sql, type RawBuilder } from 'kysely'
import type { WriterKey, SetBack } from '#domain/accounts/overwritten-fields'
import { DAY_MS } from '#domain/local-times'
import { toUuid } from '#domain/ids'
import { ENTRIES } from './live-tables.ts'
import { NO_KEY } from './tables.ts'

/*
 * Finds what sources overwrite of each other in samples: the people whom the newest calls of each source changed, and
 * their newest events. So it costs the same for any number of people and calls.
 */

const WINDOW_MS = 7 * DAY_MS
/** The longest window of a quota, in which a key may have been used last. */
const QUOTA_WINDOW_MS = 31 * DAY_MS
/** The keys that are looked at, those that called last; of each, the newest calls; and the people of these. */
const MAX_KEYS = 6
const MAX_CALLS = 20
const MAX_PEOPLE = 8
/** The people of a call, who are among so many of its first events. */
const MAX_OF_CALL = 4
const MAX_EVENTS_OF_CALL = 50
/** The events of a person, and their size in bytes. */
const MAX_EVENTS = 8
const MAX_EVENT_BYTES = 10_000
const MAX_FIELDS = 100

/**
 * Selects the keys that work and called in the week before a time (RFC 3339), those that called last. An index finds them
 * by the window of their quota in which they called last.
 */
export function selectWriterKeys(companyId: string, now: string): RawBuilder<WriterKey> {
  return sql`select k.api_id, k.name, k.writable_fields from api_keys k
      join api_key_usage u on u.company_id = k.company_id and u.api_id = k.api_id
    where k.company_id = ${toUuid(companyId)} and k.is_enabled and not k.is_revoked
      and u.last_used >= ${before(now, WINDOW_MS)} and u.last_window >= ${before(now, WINDOW_MS + QUOTA_WINDOW_MS)}
    order by u.last_used desc, k.api_id limit ${MAX_KEYS}`
}

/**
 * Selects, for each two sources and each field, of how many people they set back each other's value at least twice in
 * the week before a time (RFC 3339). All users are one source. The people of `again` are looked at in any case.
 */
export function selectSetBack(companyId: string, now: string, again: readonly string[]): RawBuilder<SetBack> {
  const company = toUuid(companyId)
  const since = before(now, WINDOW_MS)
  return sql`
    with calls as materialized (
      select newest.* from (
        select api_id as key_id from (${selectWriterKeys(companyId, now)}) writers
        union all select ${toUuid(NO_KEY)}::uuid
      ) sources cross join lateral (
        select e.key_id, e.first_position, e.position, e.updated + e.deactivated as changed, e.requested_at
        from ${ENTRIES} e where e.company_id = ${company} and e.key_id = sources.key_id
        order by e.position desc limit ${MAX_CALLS}) newest
      where newest.changed > 0 and newest.requested_at >= ${since}
    ), people as materialized (
      select sampled.stream_id from (select distinct key_id from calls) sources cross join lateral (
        select distinct found.stream_id from calls c cross join lateral (
          select e.stream_id from events e
          where e.company_id = ${company} and e.position between c.first_position and c.position
            and e.position < c.first_position + ${MAX_EVENTS_OF_CALL}
            and e.type in ('EmployeeUpdated', 'EmployeeDeactivated', 'EmployeeReactivated')
          limit ${MAX_OF_CALL}) found
        where c.key_id = sources.key_id limit ${MAX_PEOPLE}) sampled
      where (select count(distinct key_id) from calls) > 1
      union select unnest(${again.map(toUuid)}::uuid[])
    ), changes as (
      select p.stream_id, e.stream_version, e.recorded_at, c.field, c.before, c.after,
        case when starts_with(e.actor, 'key_') then e.actor else '' end as source
      from people p cross join lateral (
        select * from events where company_id = ${company} and stream_id = p.stream_id
        order by stream_version desc limit ${MAX_EVENTS}
      ) e cross join lateral (
        select key as field, value ->> 'from' as before, value ->> 'to' as after from json_each(
          case when e.type = 'EmployeeUpdated' and octet_length(e.data) <= ${MAX_EVENT_BYTES}
            then e.data::json -> 'changes' end)
        where key <> 'deprovisioned_at'
        union all select 'status', 'active', 'inactive' where e.type = 'EmployeeDeactivated'
        union all select 'status', 'inactive', 'active' where e.type = 'EmployeeReactivated'
      ) c where e.recorded_at >= ${since}
    ), compared as (
      select *, lag(source) over field_of_person as other, lag(before) over field_of_person as earlier
      from changes window field_of_person as (partition by stream_id, field order by stream_version)
    ), contested as (
      select least(source, other) as one, greatest(source, other) as other, field, stream_id, min(recorded_at) as since
      from compared where source <> other and after is not distinct from earlier
      group by 1, 2, 3, 4 having count(*) >= 2
    )
    select one, other, field, count(*)::integer as people, min(since) as since,
      (array_agg(stream_id order by stream_id))[1] as employee_id
    from contested group by one, other, field order by people desc, field limit ${MAX_FIELDS}`
}

function before(now: string, ms: number) {
  return sql`${new Date(Date.parse(now) - ms).toISOString()}::timestamptz`
}
