import { ProblemError, problemError } from './problem.ts'
import { isStorableText } from '#domain/storable-text'
import { isId, type IdPrefix } from '#domain/ids'
import { hash } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'

const FIRST_INSTANT_MS = Date.parse('0001-01-01T00:00:00.000Z')
const LAST_INSTANT_MS = Date.parse('9999-12-31T23:59:59.999Z')

export const NOT_A_TIME = 'must be a time in the years 1 to 9999'

/** Parses a date-time parameter. */
export function parseTime(name: string, text: string): string {
  const instant = readInstant(text)
  if (instant !== null) return instant
  throw invalidQuery(name, NOT_A_TIME)
}

/**
 * Reads a date-time as RFC 3339 UTC with milliseconds. Returns null for values that the date-time format allows, but
 * PostgreSQL or Date does not.
 */
export function readInstant(text: string): string | null {
  const time = Date.parse(text)
  return time >= FIRST_INSTANT_MS && time <= LAST_INSTANT_MS ? new Date(time).toISOString() : null
}

/** Refuses texts that PostgreSQL cannot store, and that can therefore match no row. */
export function assertStorable(texts: object): void {
  for (const [name, value] of Object.entries(texts)) {
    if (typeof value === 'string' && !isStorableText(value)) {
      throw invalidQuery(name, 'contains an invalid character')
    }
  }
}

/** A problem with a query parameter; `rule` follows its name. */
export function invalidQuery(name: string, rule: string): ProblemError {
  return problemError('invalid_query', `The query parameter ${name} ${rule}`)
}

/** Encodes an opaque cursor: the place of an item in a list, which must be ASCII. */
export function encodeCursor(place: number | string): string {
  return Buffer.from(`1:${place}`).toString('base64url')
}

/** Decodes a cursor of a list that is ordered by positions. Like `readCursor`. */
export function decodeCursor(cursor: string, name?: string): number {
  return readCursor(cursor, (place) => (/^(?:0|[1-9][0-9]{0,14})$/.test(place) ? Number(place) : null), name)
}

/** Decodes a cursor of a list that is ordered by ids. Like `readCursor`. */
export function decodeIdCursor(prefix: IdPrefix, cursor: string): string {
  return readCursor(cursor, (place) => (isId(prefix, place) ? place : null))
}

/**
 * Decodes a cursor. `read` returns the place that a text means, or null. Throws `invalid_query` for anything that
 * `encodeCursor` did not produce for such a place; `name` says where the cursor was given.
 */
function readCursor<Place>(
  cursor: string,
  read: (place: string) => Place | null,
  name = 'query parameter cursor',
): Place {
  const text = Buffer.from(cursor, 'base64url').toString('latin1')
  const place = text.startsWith('1:') ? read(text.slice(2)) : null
  if (place === null || encodeCursor(text.slice(2)) !== cursor) {
    throw problemError('invalid_query', `The ${name} must be one that the API returned`)
  }
  return place
}

/**
 * The page of a list that is ordered by ids, and what else its query asks for. It has one item more than requested, to
 * know whether there is a next one.
 */
export function pageBefore<Rest extends object>(
  prefix: IdPrefix,
  { limit, cursor, ...rest }: { limit: number; cursor?: string } & Rest,
) {
  return { ...rest, limit: limit + 1, ...(cursor === undefined ? {} : { before: decodeIdCursor(prefix, cursor) }) }
}

/** A page of a list that was read with one item more than requested. `placeOf` gives the place of an item. */
export function pageOf<Item, Rendered = Item>(
  rows: Item[],
  limit: number,
  placeOf: (item: Item) => number | string,
  render: (item: Item) => Rendered = (item) => item as never,
): { items: Rendered[]; next_cursor: string | null } {
  const items = rows.slice(0, limit)
  const last = items.at(-1)
  const next = rows.length > limit && last ? encodeCursor(placeOf(last)) : null
  return { items: items.map(render), next_cursor: next }
}

/** The parameters that choose a page of a list, and not what is on it. */
const OF_PAGES: ReadonlySet<string> = new Set(['cursor', 'limit', 'count', 'min_position'])
const DIGEST_CHARACTERS = 8

/**
 * Binds the cursors of lists to their filters, because a cursor that is sent with others skips items in silence. A cursor
 * ends with a digest of the filters; those that 1.1.0 returned have none. Call it before registering routes.
 */
export function bindCursors(app: FastifyInstance) {
  app.addHook('onRoute', (route) => {
    const { properties = {} } = (route.schema?.querystring ?? {}) as { properties?: object }
    if (!Object.hasOwn(properties, 'cursor')) return
    route.preHandler = [...[route.preHandler ?? []].flat(), unbind]
    route.preSerialization = [...[route.preSerialization ?? []].flat(), bind]
  })
}

async function unbind(request: FastifyRequest) {
  const query = request.query as { cursor?: string }
  const [place, digest] = query.cursor?.split('.') ?? []
  if (place === undefined || digest === undefined) return
  if (digest !== digestFilters(request))
    throw invalidQuery('cursor', 'belongs to other filters: send the filters of its page')
  query.cursor = place
}

async function bind(request: FastifyRequest, _reply: unknown, payload: unknown) {
  const page = payload as { next_cursor?: string | null }
  if (typeof page?.next_cursor !== 'string') return payload
  return { ...page, next_cursor: `${page.next_cursor}.${digestFilters(request)}` }
}

function digestFilters({ query }: FastifyRequest) {
  const filters = Object.entries(query as object).filter(([name]) => !OF_PAGES.has(name))
  const text = JSON.stringify(filters.toSorted(([one], [other]) => (one < other ? -1 : 1)))
  return hash('sha256', text, 'base64url').slice(0, DIGEST_CHARACTERS)
}
