import type { EventType } from '../../../domain/events.ts'
import { SCHEMA_VERSIONS } from '../../../domain/events.ts'
import type { IdPrefix } from '../../../domain/ids.ts'
import { isId } from '../../../domain/ids.ts'
import type { EventFilter, EventPlace } from '../../../ledger/read/browse-events.ts'
import { invalidQuery } from '../../server/query-values.ts'

/** The query parameters of the event stream. */
export interface EventQuery {
  type?: string
  /** The id of an employee, call, key, user or company. */
  id?: string
  /** The newest position of the page. */
  position?: string
  /** The oldest position of the page, in links to newer events. */
  newer_from?: string
}

export const EVENT_TYPES = Object.keys(SCHEMA_VERSIONS).toSorted() as EventType[]
const STREAMS: readonly IdPrefix[] = ['emp', 'key', 'usr', 'com']

/** Reads the query parameters. Throws a problem with `invalid_query` for a value that makes no sense. */
export function readEventQuery({ type = '', id = '', position = '', newer_from: newerFrom = '' }: EventQuery): {
  filter: EventFilter
  place: EventPlace
} {
  if (type !== '' && !(EVENT_TYPES as string[]).includes(type)) throw invalidQuery('type', 'must be an event type')
  return {
    filter: { ...(type === '' ? {} : { type }), ...readIdFilter(id.trim()) },
    place: readPlace(position, newerFrom),
  }
}

function readIdFilter(id: string): EventFilter {
  if (id === '') return {}
  if (isId('log', id)) return { call: id }
  if (STREAMS.some((prefix) => isId(prefix, id))) return { stream: id }
  throw invalidQuery('id', 'must be the ID of an employee, a call, an API key, a user or the company')
}

function readPlace(position: string, newerFrom: string): EventPlace {
  if (newerFrom !== '') return { from: parsePosition('newer_from', newerFrom) }
  return { upTo: position === '' ? Number.MAX_SAFE_INTEGER : parsePosition('position', position) }
}

/** Reads a ledger position, from 1. */
function parsePosition(name: string, text: string): number {
  if (isPosition(text)) return Number(text)
  throw invalidQuery(name, 'must be a whole number from 1')
}

/** Whether a text is a ledger position, from 1. */
export function isPosition(text: string): boolean {
  return /^[1-9][0-9]{0,14}$/.test(text)
}
