import asyncHooks from 'node:async_hooks'
import { globSync, readFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import path from 'node:path'

/** The last part of a long test file's name. */
export const LONG = '.long.test.ts'

/**
 * Runs the test files that match some patterns in this process, one after the other. Loading the program is most of a
 * small file's cost, so a group's files load it once. Each file's teardowns run right after its tests, and the steps of
 * `afterAll` (after-all.ts) at the end. A file that fails to load is reported by name, and the others still run.
 */
export async function runFiles(...patterns: string[]): Promise<void> {
  leaveLoaders()
  leaveHooks()
  namePlugins()
  compileOnce()
  const { default: t } = await import('tap')
  // tap looks for source maps in every module and compiled function, and the types that are left out need none.
  process.setSourceMapsEnabled(false)
  process.on('uncaughtException', (error) => t.error(error, 'no error is uncaught'))
  const { holdBack } = await import('./after-all.ts')
  const endAll = holdBack()
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
  await endAll()
}

/** Room for short-lived objects, in MiB: each start of a service makes many, and collecting them often takes long. */
const ROOM = ['--min-semi-space-size=32', '--max-semi-space-size=64']

/**
 * Starts this process over without tap's loaders, which it and every Node.js process that a test starts would load.
 * They are for mocks and coverage, which no test uses.
 */
function leaveLoaders(): void {
  const options = process.execArgv.filter((option) => !/@tapjs|source-maps/.test(option))
  if (options.length === process.execArgv.length) return
  process.execve!(process.execPath, [process.execPath, ...options, ...ROOM, ...process.argv.slice(1)])
}

/**
 * Keeps tap from watching every promise and callback of this process, to tell which test an uncaught error belongs to:
 * that takes a tenth of the processor time. Without it, the error fails the group, and its stack names the file.
 */
function leaveHooks(): void {
  const none = { enable: () => none, disable: () => none }
  asyncHooks.createHook = () => none
  syncBuiltinESMExports()
}

/**
 * Names each of Fastify's plugins. It looks for the name of one without a name of its own in the list of all modules that
 * are loaded, for each plugin of each service.
 */
function namePlugins(): void {
  // Only in the processes of the tests.
  // oxlint-disable-next-line no-extend-native
  Object.defineProperty(Function.prototype, Symbol.for('fastify.display-name'), { value: 'a plugin', writable: true })
}

/**
 * Compiles each text of a function once. Fastify's router makes the same few hundred functions for each service, a fifth of
 * the processor time of its start. They are without state, as `Function` gives them no scope but the global one.
 */
function compileOnce(): void {
  const made = new Map<string, object>()
  globalThis.Function = new Proxy(Function, {
    construct(target, texts: string[]) {
      const key = texts.join('\0')
      const known = made.get(key) ?? new target(...texts)
      made.set(key, known)
      return known
    },
  })
}

/** The matching test files, without those of patterns that begin with `!`; long ones only for a pattern that asks for them. */
export function findTests(patterns: string[]): string[] {
  const [excluding, including] = [
    patterns.filter((it) => it.startsWith('!')),
    patterns.filter((it) => !it.startsWith('!')),
  ]
  const exclude = excluding.map((pattern) => pattern.slice(1))
  const found = including.flatMap((pattern) =>
    globSync(pattern, { exclude }).filter((file) => pattern.endsWith(LONG) || !file.endsWith(LONG)),
  )
  return found.toSorted()
}

/** The test files that try fewer inputs in the gate. The nightly run tries all of their inputs. */
export function filesWithInputs(): string[] {
  const files = globSync('test/**/*.test.ts', { exclude: ['test/groups/**', 'test/architecture.test.ts'] })
  return files.filter((file) => readFileSync(file, 'utf8').includes('/support/quick.ts')).toSorted()
}
