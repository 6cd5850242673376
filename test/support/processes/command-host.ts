import { buildProgram } from '../../../src/cli/program.ts'
import { failWith } from '../../../src/cli/terminal/fail-with.ts'
import type { CommandRun, Ended } from './cli.ts'

/*
 * Runs commands of the program one after the other in this process, which loads the program only once: `runCommand` of
 * cli.ts starts it. A command sees its own environment, and what it prints and its exit code are those of a process.
 */

/** What `process.exit` throws here. */
class Exited extends Error {
  readonly code: number

  constructor(code: number) {
    super(`exited with ${code}`)
    this.code = code
  }
}

process.exit = (code) => {
  throw new Exited(Number(code ?? process.exitCode ?? 0))
}

const printed: Record<'stdout' | 'stderr', Buffer[]> = { stdout: [], stderr: [] }
for (const name of ['stdout', 'stderr'] as const) {
  process[name].write = (chunk: string | Uint8Array, ...more: unknown[]) => {
    printed[name].push(Buffer.from(chunk as Uint8Array))
    const done = more.at(-1)
    if (typeof done === 'function') process.nextTick(done)
    return true
  }
}

let last = Promise.resolve()
process.on('message', (run: CommandRun) => {
  last = last.then(async () => void process.send!(await runHere(run)))
})

async function runHere({ args, environment }: CommandRun): Promise<Ended> {
  for (const name of Object.keys(process.env)) delete process.env[name]
  Object.assign(process.env, environment)
  printed.stdout = []
  printed.stderr = []
  process.exitCode = undefined
  const exitCode = await exitCodeOf(args)
  process.exitCode = undefined
  const [stdout, stderr] = [printed.stdout, printed.stderr].map((chunks) => Buffer.concat(chunks).toString())
  return { exitCode, signal: null, stdout: stdout!, stderr: stderr! }
}

/** Runs a command as `src/main.ts` does. */
async function exitCodeOf(args: string[]): Promise<number> {
  try {
    await buildProgram().parseAsync(args, { from: 'user' })
    return Number(process.exitCode ?? 0)
  } catch (error) {
    if (error instanceof Exited) return error.code
    try {
      failWith(error)
    } catch (exited) {
      return (exited as Exited).code
    }
  }
}
