import { globSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'

/** The last part of a long test file's name. */
export const LONG = '.long.test.ts'

/**
 * Runs the test files of some patterns in this process, one after the other. Loading the program is most of what a small
 * file costs, so the files of a group load it once. A file's teardowns run as soon as its tests are over. A file that
 * fails to load fails by its name, and the others still run.
 */
export async function runFiles(...patterns: string[]): Promise<void> {
  const teardowns: (() => unknown)[] = []
  const tearDown = async () => {
    for (let step = teardowns.pop(); step; step = teardowns.pop()) await step()
  }
  // tap itself, once it has a teardown, would end the run whenever nothing happens between two tests.
  Object.assign(t, { teardown: (step: () => unknown) => void teardowns.push(step) })
  for (const file of findTests(patterns)) {
    const fail = (found: unknown) => t.fail(file, { found })
    await import(path.resolve(file)).catch(fail)
    await tearDown().catch(fail)
  }
}

/** The test files that match: the long ones only of a pattern that asks for long ones. */
export function findTests(patterns: string[]): string[] {
  const found = patterns.flatMap((pattern) =>
    globSync(pattern).filter((file) => pattern.endsWith(LONG) || !file.endsWith(LONG)),
  )
  return found.toSorted()
}
