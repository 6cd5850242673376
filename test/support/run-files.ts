import { globSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'

/** The last part of a long test file's name. */
export const LONG = '.long.test.ts'

/**
 * Runs the test files that match some patterns in this process, one after the other. Loading the program is most of a
 * small file's cost, so a group's files load it once. Each file's teardowns run right after its tests. A file that
 * fails to load is reported by name, and the others still run.
 */
export async function runFiles(...patterns: string[]): Promise<void> {
  const teardowns: (() => unknown)[] = []
  const tearDown = async () => {
    for (let step = teardowns.pop(); step; step = teardowns.pop()) await step()
  }
  // With a teardown, tap would end the run whenever nothing happens between two tests.
  Object.assign(t, { teardown: (step: () => unknown) => void teardowns.push(step) })
  for (const file of findTests(patterns)) {
    const fail = (found: unknown) => t.fail(file, { found })
    await import(path.resolve(file)).catch(fail)
    await tearDown().catch(fail)
  }
}

/** The matching test files; long ones only for a pattern that asks for them. */
export function findTests(patterns: string[]): string[] {
  const found = patterns.flatMap((pattern) =>
    globSync(pattern).filter((file) => pattern.endsWith(LONG) || !file.endsWith(LONG)),
  )
  return found.toSorted()
}
