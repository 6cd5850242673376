import { globSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'

/** The last part of a long test file's name. */
export const LONG = '.long.test.ts'

type Teardown = () => unknown

/**
 * Runs the test files of some patterns in this process, one after the other. Loading the program is most of what a small
 * file costs, so the files of a group load it once. A file's teardowns run as soon as its tests are over. A file that
 * fails to load fails by its name, and the others still run.
 */
export async function runFiles(...patterns: string[]): Promise<void> {
  const rootTeardown = t.teardown
  for (const file of findTests(patterns)) {
    const teardowns: Teardown[] = []
    Object.assign(t, { teardown: (step: Teardown) => void teardowns.unshift(step) })
    try {
      await import(path.resolve(file))
      for (const step of teardowns) await step()
    } catch (error) {
      t.fail(file, { found: error })
    }
  }
  Object.assign(t, { teardown: rootTeardown })
}

/** The test files that match: the long ones only of a pattern that asks for long ones. */
export function findTests(patterns: string[]): string[] {
  const found = patterns.flatMap((pattern) =>
    globSync(pattern).filter((file) => pattern.endsWith(LONG) || !file.endsWith(LONG)),
  )
  return found.toSorted()
}
