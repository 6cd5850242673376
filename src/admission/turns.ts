import type { Pieces } from '#domain/pieces'

/** How long work may take the event loop before everything else gets a turn, in milliseconds. */
const TURN_MS = 10

const waiting: (() => void)[] = []
let begunAt = -Infinity

/**
 * Whether work that is done in pieces has to let other requests in before its next piece:
 *
 *     for (const piece of pieces) {
 *       if (isTurnOver()) await nextTurn(signal)
 *       work(piece)
 *     }
 *
 * All such work of the process shares its turns, so that ten files take the event loop no longer than one.
 */
export function isTurnOver(): boolean {
  return performance.now() - begunAt >= TURN_MS
}

/**
 * Waits for a turn of the event loop. Of the work that waits, each has one turn after the other. Rejects with the reason
 * of the signal if it is aborted.
 */
export async function nextTurn(signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted()
  const { promise, resolve } = Promise.withResolvers<void>()
  waiting.push(resolve)
  if (waiting.length === 1) setImmediate(beginTurn)
  await promise
  signal?.throwIfAborted()
}

function beginTurn() {
  begunAt = performance.now()
  waiting.shift()!()
  if (waiting.length > 0) setImmediate(beginTurn)
}

/** Yields items, with a turn of the event loop for everything else whenever working on them has taken long. */
export async function* inTurns<Item>(items: Iterable<Item>, signal?: AbortSignal): AsyncGenerator<Item, void> {
  for (const item of items) {
    if (isTurnOver()) await nextTurn(signal)
    yield item
  }
}

/** Does something with each item, in turns as above. Of many small items, it waits for turns alone, not for each item. */
export async function eachInTurns<Item>(
  items: Iterable<Item>,
  act: (item: Item) => void,
  signal?: AbortSignal,
): Promise<void> {
  for (const item of items) {
    if (isTurnOver()) await nextTurn(signal)
    act(item)
  }
}

/**
 * Keeps the items that satisfy a condition, which may take pieces, with a turn of the event loop for everything else as
 * above.
 */
export async function filterInTurns<Item>(
  items: Iterable<Item>,
  isWanted: (item: Item) => boolean | Pieces<boolean>,
  signal?: AbortSignal,
): Promise<Item[]> {
  const wanted: Item[] = []
  for (const item of items) {
    if (isTurnOver()) await nextTurn(signal)
    const answer = isWanted(item)
    if (typeof answer === 'boolean' ? answer : await doInTurns(answer, signal)) wanted.push(item)
  }
  return wanted
}

/** Work that takes no longer waits for no turn: small requests that arrive together go on together. In milliseconds. */
const SHORT_MS = 1

/** Does work in pieces, with a turn of the event loop for everything else whenever it has taken long. */
export async function doInTurns<Result>(work: Pieces<Result>, signal?: AbortSignal): Promise<Result> {
  const began = performance.now()
  for (;;) {
    const { done, value } = work.next()
    if (done) return value
    if (performance.now() - began > SHORT_MS && isTurnOver()) await nextTurn(signal)
  }
}
