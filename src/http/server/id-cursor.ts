import type { IdPrefix } from '../../domain/ids.ts'
import { isId } from '../../domain/ids.ts'
import { problem } from '../../domain/errors.ts'
import { ProblemError } from './problem.ts'

/** Encodes an opaque cursor for a list that is ordered by ids. */
export function encodeIdCursor(id: string): string {
  return Buffer.from(`1:${id}`).toString('base64url')
}

/** Decodes a cursor. Throws `invalid_query` for anything that `encodeIdCursor` did not produce. */
export function decodeIdCursor(prefix: IdPrefix, cursor: string): string {
  const [, id] = /^1:([0-9a-z_]+)$/.exec(Buffer.from(cursor, 'base64url').toString('latin1')) ?? []
  if (isId(prefix, id) && encodeIdCursor(id) === cursor) return id
  throw new ProblemError(problem('invalid_query', 'The query parameter cursor must be one that the API returned'))
}

/** What to read for a page: one item more than requested, to know whether there is a next page. */
export function pageBefore(
  prefix: IdPrefix,
  { limit, cursor }: { limit: number; cursor?: string },
): { limit: number; before?: string } {
  return { limit: limit + 1, ...(cursor === undefined ? {} : { before: decodeIdCursor(prefix, cursor) }) }
}

/** A page of a list that was read with one item more than requested. */
export function pageOf<Item, Shown>(
  found: Item[],
  limit: number,
  idOf: (item: Item) => string,
  show: (item: Item) => Shown,
) {
  const items = found.slice(0, limit)
  const last = items.at(-1)
  return { items: items.map(show), next_cursor: found.length > limit && last ? encodeIdCursor(idOf(last)) : null }
}
