import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import type { Test } from 'tap'

/** Records the cost of each password hash during a test. The result returns the costs since its last call. */
export function countHashes(t: Test): () => string[] {
  let costs: string[] = []
  const { argon2 } = crypto
  const counted = (...args: Parameters<typeof argon2>) => {
    const [algorithm, { memory, passes, parallelism, tagLength }] = args
    costs.push([algorithm, memory, passes, parallelism, tagLength].join(' '))
    return argon2(...args)
  }
  put(counted)
  t.teardown(() => put(argon2))
  return () => {
    const counted = costs
    costs = []
    return counted
  }
}

function put(argon2: typeof crypto.argon2): void {
  crypto.argon2 = argon2
  syncBuiltinESMExports()
}
