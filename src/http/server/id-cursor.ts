import type { IdPrefix } from '../../domain/ids.ts'
import { isId } from '../../domain/ids.ts'
import { problem } from '../../domain/errors.ts'
import { ProblemError } from './problem.ts'

/** An opaque cursor for the place of an id in a list that is ordered by ids, which never change. */
export function encodeIdCursor(id: string): string {
  return Buffer.from(`1:${id}`).toString('base64url')
}

/** Reads a cursor. Throws a problem with `invalid_query` on anything that `encodeIdCursor` did not make. */
export function decodeIdCursor(prefix: IdPrefix, cursor: string): string {
  const [, id] = /^1:([0-9a-z_]+)$/.exec(Buffer.from(cursor, 'base64url').toString('latin1')) ?? []
  if (isId(prefix, id) && encodeIdCursor(id) === cursor) return id
  throw new ProblemError(problem('invalid_query', 'The query parameter cursor must be a cursor returned by the API'))
}

/** What to read for a page: one item more than asked for, which tells whether there is a next page. */
export function pageBefore(
  prefix: IdPrefix,
  { limit, cursor }: { limit: number; cursor?: string },
): { limit: number; before?: string } {
  return { limit: limit + 1, ...(cursor === undefined ? {} : { before: decodeIdCursor(prefix, cursor) }) }
}

/** A page of a list that was read with one item more than asked for, which tells whether there is a next page. */
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
