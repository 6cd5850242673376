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

/** How many items are worked on before a pause. */
const ITEMS_AT_ONCE = 8

/** Pauses after work on so many items, unless they are few. */
export function* pauseAfter({ length }: { length: number }): Pieces<void> {
  if (length > ITEMS_AT_ONCE) yield
}

/** Maps a list in pieces: of one item each if an item may be as large as a record that was sent. */
export function* mapInPieces<Item, Result>(
  items: readonly Item[],
  map: (item: Item, at: number) => Result,
  atOnce = ITEMS_AT_ONCE,
): Pieces<Result[]> {
  const results: Result[] = []
  for (let at = 0; at < items.length; at += 1) {
    if (at > 0 && at % atOnce === 0) yield
    results.push(map(items[at]!, at))
  }
  return results
}

/** Does something with each of some items, in pieces. */
export function* eachInPieces<Item>(items: Iterable<Item>, act: (item: Item) => void): Pieces<void> {
  let count = 0
  for (const item of items) {
    if (count > 0 && count % ITEMS_AT_ONCE === 0) yield
    act(item)
    count += 1
  }
}

/**
 * A list of more items is written in pieces: of so many at once, or of as many as a short one
 * has after a piece of few characters.
 */
const LONG_LIST = 32
const WRITTEN_AT_ONCE = 8
const FEW_CHARACTERS = 16_384
const ENCODED_AT_ONCE = 65_536

/** Whether an object has a list among its members that is written in pieces. */
export function hasLongList(value: object): boolean {
  return Object.values(value).some(isLongList)
}

function isLongList(member: unknown): member is readonly unknown[] {
  return Array.isArray(member) && member.length > LONG_LIST
}

/** Writes an object as JSON in UTF-8, as JSON.stringify does, and long lists among its members in pieces. */
export function* encodeJson(value: object): Pieces<Buffer> {
  const written = yield* writeJson(value)
  return typeof written === 'string' ? Buffer.from(written) : written
}

/** The same, but a short text, which Node.js sends together with the headers, is not encoded. */
export function* writeJson(value: object): Pieces<string | Buffer> {
  const parts: Buffer[] = []
  let text = ''
  for (const piece of listPieces(value)) {
    text += piece
    if (text.length < ENCODED_AT_ONCE) continue
    parts.push(Buffer.from(text))
    text = ''
    yield
  }
  if (parts.length === 0) return text
  parts.push(Buffer.from(text))
  return yield* joinInPieces(parts)
}

function* listPieces(value: object): Generator<string, void> {
  let mark = '{'
  for (const [name, member] of Object.entries(value) as [string, unknown][]) {
    if (member === undefined) continue
    yield `${mark}${JSON.stringify(name)}:`
    mark = ','
    if (isLongList(member)) yield* writeList(member)
    else yield JSON.stringify(member)
  }
  yield mark === '{' ? '{}' : '}'
}

function* writeList(list: readonly unknown[]): Generator<string, void> {
  let mark = '['
  for (let [at, count] = [0, WRITTEN_AT_ONCE]; at < list.length;) {
    const text = JSON.stringify(list.slice(at, at + count))
    yield `${mark}${text.slice(1, -1)}`
    mark = ','
    at += count
    count = text.length < FEW_CHARACTERS ? LONG_LIST : WRITTEN_AT_ONCE
  }
  yield ']'
}

/** Joins parts of bytes, each of which is copied at once. */
export function* joinInPieces(parts: readonly Buffer[]): Pieces<Buffer> {
  const whole = Buffer.allocUnsafe(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    // Small bodies are one part: those that arrive together go on together, and share a transaction.
    if (at > 0) yield
    at += part.copy(whole, at)
  }
  return whole
}

/** Divides a list into parts of at most `size` items, in order. */
export function divide<Item>(list: readonly Item[], size: number): Item[][] {
  const parts: Item[][] = []
  for (let at = 0; at < list.length; at += size) parts.push(list.slice(at, at + size))
  return parts
}
