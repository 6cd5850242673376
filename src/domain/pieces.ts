/**
 * Work in pieces: it yields where its caller may do something else before the next piece. The work of a large call is
 * done in this way, so that it doesn't hold up others.
 */
export type Pieces<Result> = Generator<void, Result, void>

/** Does work in pieces all at once. */
export function doAtOnce<Result>(work: Pieces<Result>): Result {
  for (;;) {
    const { done, value } = work.next()
    if (done) return value
  }
}

/** How many items are worked on before a pause. Each may be a record of a megabyte. */
const ITEMS_AT_ONCE = 8

/** Pauses after work on so many items, unless they are few. */
export function* pauseAfter({ length }: { length: number }): Pieces<void> {
  if (length > ITEMS_AT_ONCE) yield
}

/** Maps a list in pieces. */
export function* mapInPieces<Item, Result>(
  items: readonly Item[],
  map: (item: Item, at: number) => Result,
): Pieces<Result[]> {
  const results: Result[] = []
  for (const [at, item] of items.entries()) {
    if (at > 0 && at % ITEMS_AT_ONCE === 0) yield
    results.push(map(item, at))
  }
  return results
}

/** Items that are written at once. */
const WRITTEN_AT_ONCE = 32

/** Writes an object as JSON, as JSON.stringify does, and long lists among its members in pieces. */
export function* stringifyInPieces(value: object): Pieces<string> {
  const members: string[] = []
  for (const [name, member] of Object.entries(value) as [string, unknown][]) {
    if (member === undefined) continue
    const isLong = Array.isArray(member) && member.length > WRITTEN_AT_ONCE
    const text = isLong ? yield* stringifyList(member) : JSON.stringify(member)
    members.push(`${JSON.stringify(name)}:${text}`)
  }
  return `{${members.join(',')}}`
}

function* stringifyList(list: readonly unknown[]): Pieces<string> {
  const parts: string[] = []
  for (let at = 0; at < list.length; at += WRITTEN_AT_ONCE) {
    if (at > 0) yield
    parts.push(JSON.stringify(list.slice(at, at + WRITTEN_AT_ONCE)).slice(1, -1))
  }
  return `[${parts.join(',')}]`
}
