import { sql } from 'kysely'
import { isOfCall } from '#domain/event-types'
import { isId, toUuid } from '#domain/ids'

/** Which events are wanted: those that match all filters. */
export interface EventFilter {
  /** Events of any of these types. */
  types?: readonly string[] | undefined
  /** Events of this employee, key, webhook, identity provider, user, or company. */
  stream?: string
  /** Events of this call. */
  call?: string
  /** Events that this key, user, or identity provider caused, or `operator` or `schedule`. */
  actor?: string | undefined
  /** Events whose data contain this text, in any case. */
  text?: string | undefined
}

/** Makes the conditions of a filter on rows of `events`. */
export function buildConditions({ types, stream, call, actor, text }: EventFilter) {
  return [
    ...(types === undefined ? [] : [sql<boolean>`type = any(${types}::text[])`]),
    ...(stream === undefined ? [] : [sql<boolean>`stream_id = ${toUuid(stream)}`]),
    ...(call === undefined ? [] : [sql<boolean>`call_id = ${toUuid(call)}`]),
    ...(actor === undefined ? [] : [sql<boolean>`actor = ${actor}`]),
    ...(text === undefined ? [] : [sql<boolean>`strpos(lower(data), lower(${toJsonText(text)})) > 0`]),
    ...(isOutsideCalls({ types, actor }) ? [sql<boolean>`call_id is null`] : []),
  ]
}

/** Whether only events outside of calls can match, which have an index of their own. */
export function isOutsideCalls({ types, actor }: Pick<EventFilter, 'types' | 'actor'>) {
  // Others, such as the operator, make none.
  const mayCall = actor === undefined || isId('key', actor) || isId('usr', actor)
  return !mayCall || types?.every((type) => !isOfCall(type)) === true
}

/** The text as stored in data: canonical JSON escapes the same characters as `JSON.stringify`. */
function toJsonText(text: string) {
  return JSON.stringify(text).slice(1, -1)
}
