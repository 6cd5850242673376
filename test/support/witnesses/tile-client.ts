import { createHash } from 'node:crypto'
import { nodeOf } from './consistency.ts'

/* A client of https://c2sp.org/tlog-tiles, written without the program's code. */

const WIDTH = 256

/** Fetches a resource below the prefix of a log. */
type Fetch = (path: string) => Promise<Buffer>

/** The path of a tile of which the tree of `size` leaves has `width` hashes. */
export function pathOf(level: number | 'entries', number: number, width = WIDTH): string {
  const digits = String(number).padStart(Math.ceil(String(number).length / 3) * 3, '0')
  const parts = digits.match(/.{3}/g)!
  const path = parts.map((part, at) => (at < parts.length - 1 ? `x${part}` : part)).join('/')
  return `tile/${level}/${path}${width === WIDTH ? '' : `.p/${width}`}`
}

/** Reads all hashes of a level in the tree of `size` leaves, tile by tile. */
export async function readLevel(fetch: Fetch, level: number, size: number): Promise<Buffer[]> {
  const count = Math.floor(size / WIDTH ** level)
  const hashes: Buffer[] = []
  for (let first = 0; first < count; first += WIDTH) {
    const width = Math.min(WIDTH, count - first)
    const tile = await fetch(pathOf(level, first / WIDTH, width))
    if (tile.length !== 32 * width) throw new Error(`a tile of ${width} hashes has ${tile.length} bytes`)
    for (let at = 0; at < width; at += 1) hashes.push(tile.subarray(32 * at, 32 * (at + 1)))
  }
  return hashes
}

/** The root of a tree that is computed from the fewest tiles: the rightmost one of each level. */
export async function readRoot(fetch: Fetch, size: number): Promise<Buffer> {
  const roots: Buffer[] = []
  for (let level = 0; WIDTH ** level <= size; level += 1) {
    const count = Math.floor(size / WIDTH ** level)
    const width = count % WIDTH
    if (width === 0) continue
    const tile = await fetch(pathOf(level, Math.floor(count / WIDTH), width))
    roots.unshift(...completeSubtrees(Array.from({ length: width }, (_, at) => tile.subarray(32 * at, 32 * (at + 1)))))
  }
  return roots.reduceRight((right, left) => nodeOf(left, right))
}

/** The root of hashes of one level, RFC 6962 section 2.1. */
export function rootOfHashes(hashes: Buffer[]): Buffer {
  return completeSubtrees(hashes).reduceRight((right, left) => nodeOf(left, right))
}

function completeSubtrees(hashes: Buffer[]): Buffer[] {
  const roots: Buffer[] = []
  for (const [at, hash] of hashes.entries()) {
    let node = hash
    for (let number = at; number % 2 === 1; number = (number - 1) / 2) node = nodeOf(roots.pop()!, node)
    roots.push(node)
  }
  return roots
}

/** Reads the entries of a tree of `size` leaves. */
export async function readAllEntries(fetch: Fetch, size: number): Promise<Buffer[]> {
  const entries: Buffer[] = []
  for (let first = 0; first < size; first += WIDTH) {
    const bundle = await fetch(pathOf('entries', first / WIDTH, Math.min(WIDTH, size - first)))
    for (let at = 0; at < bundle.length;) {
      const length = bundle.readUInt16BE(at)
      entries.push(bundle.subarray(at + 2, at + 2 + length))
      at += 2 + length
    }
  }
  return entries
}

export function leafOf(entry: Buffer): Buffer {
  return createHash('sha256').update(Buffer.of(0)).update(entry).digest()
}
