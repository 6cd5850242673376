import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import readline from 'node:readline'
import type { Test } from 'tap'
import type { DatabaseUrls } from '../../../src/postgres/database-urls.ts'
import { COMPILE_CACHE } from './compile-cache.ts'
import { HASHING } from '../hashing.ts'
import { presetLimits } from './limits.ts'

/** A process of the program that is ready. */
interface StartedProcess {
  child: ChildProcess
  /** What it printed when it was ready. */
  line: string
  /** Ends it with a signal and resolves once it is gone. */
  end(signal: NodeJS.Signals): Promise<void>
}

/** Starts `serve` or `work` on a database and waits until it says that it is ready. */
export async function startProcess(
  t: Test,
  command: 'serve' | 'work' | 'start',
  urls: DatabaseUrls,
  settings: Record<string, string> = {},
  folder = '.',
): Promise<StartedProcess> {
  const child = spawn(process.execPath, [...HASHING, ...presetLimits({ ...settings }), 'src/main.ts', command], {
    env: {
      PATH: process.env['PATH'],
      ...COMPILE_CACHE,
      DATABASE_URL: urls.serviceUrl,
      MIGRATE_DATABASE_URL: urls.ownerUrl,
      PORT: '0',
      LOG_LEVEL: 'error',
      BURST_LIMIT: '0',
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
    cwd: folder,
  })
  const exited = once(child, 'exit')
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal)
    await exited
  }
  t.teardown(() => end('SIGKILL'))
  const lines = readline.createInterface(child.stdout)
  const first = await Promise.race([once(lines, 'line'), exited])
  if (typeof first[0] !== 'string') throw new Error(`${command} ended before it was ready`)
  return { child, line: first[0], end }
}

/** A `serve` process's address. */
export function addressOf({ line }: StartedProcess): string {
  const [address] = /http:\/\/\S+/.exec(line) ?? []
  if (address === undefined) throw new Error(`no address in: ${line}`)
  return address
}
