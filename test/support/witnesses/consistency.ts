import { createHash } from 'node:crypto'

interface Head {
  size: number
  root: Buffer
}

/** Verifies a consistency proof step by step as RFC 9162, section 2.1.4.2, says. Both sizes are at least 1. */
export function isConsistentByRfc9162(before: Head, after: Head, path: Buffer[]): boolean {
  if (before.size === after.size) return path.length === 0 && before.root.equals(after.root)
  if (path.length === 0 || before.size > after.size) return false
  const isPowerOf2 = Number.isInteger(Math.log2(before.size))
  const [first, ...rest] = isPowerOf2 ? [before.root, ...path] : path
  let [fn, sn] = [before.size - 1, after.size - 1]
  while (fn % 2 === 1) [fn, sn] = [half(fn), half(sn)]
  let [fr, sr] = [first!, first!]
  for (const hash of rest) {
    if (sn === 0) return false
    if (fn % 2 === 1 || fn === sn) {
      fr = nodeOf(hash, fr)
      sr = nodeOf(hash, sr)
      while (fn % 2 === 0 && fn !== 0) [fn, sn] = [half(fn), half(sn)]
    } else sr = nodeOf(sr, hash)
    ;[fn, sn] = [half(fn), half(sn)]
  }
  return fr.equals(before.root) && sr.equals(after.root) && sn === 0
}

const half = (number: number) => Math.floor(number / 2)

export function nodeOf(left: Buffer, right: Buffer): Buffer {
  return createHash('sha256').update(Buffer.of(1)).update(left).update(right).digest()
}
