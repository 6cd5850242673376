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
  // Joined once: to join texts that were joined takes as long again.
  const parts: string[] = []
  for (const [name, member] of Object.entries(value) as [string, unknown][]) {
    if (member === undefined) continue
    parts.push(parts.length === 0 ? '{' : ',', `${JSON.stringify(name)}:`)
    if (Array.isArray(member) && member.length > WRITTEN_AT_ONCE) yield* stringifyList(member, parts)
    else parts.push(JSON.stringify(member))
  }
  if (parts.length === 0) return '{}'
  parts.push('}')
  return parts.join('')
}

function* stringifyList(list: readonly unknown[], parts: string[]): Pieces<void> {
  for (let at = 0; at < list.length; at += WRITTEN_AT_ONCE) {
    if (at > 0) yield
    parts.push(at === 0 ? '[' : ',', JSON.stringify(list.slice(at, at + WRITTEN_AT_ONCE)).slice(1, -1))
  }
  parts.push(']')
}

/** The characters that are encoded at once. */
const ENCODED_AT_ONCE = 262_144

/** Encodes a text as UTF-8; a long one in pieces. It is well-formed. */
export function* encodeInPieces(text: string): Pieces<Buffer> {
  const parts: Buffer[] = []
  for (let at = 0, end = 0; at < text.length; at = end) {
    if (at > 0) yield
    // Not between the halves of a character.
    const isHalf = (text.charCodeAt(at + ENCODED_AT_ONCE - 1) & 0xfc00) === 0xd800
    end = at + ENCODED_AT_ONCE + (isHalf ? 1 : 0)
    parts.push(Buffer.from(text.slice(at, end)))
  }
  if (parts.length === 1) return parts[0]!
  const whole = Buffer.allocUnsafe(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    at += part.copy(whole, at)
    yield
  }
  return whole
}
