import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { peakBytes } from './machine.ts'

const ROOT = path.resolve(import.meta.dirname, '../..')
const LOOK_MS = 50
/** Of what a program says that fails, the end. */
const TOLD_CHARACTERS = 1_000

/** What a program took from its start to its end. */
export interface MeasuredProcess {
  seconds: number
  /** The most memory that it had at once, without that of PostgreSQL. */
  peakMebibytes: number
}

/** Runs a program, named by its path, in a folder, with these settings and nothing else, and waits for it. Throws when it fails. */
export async function measureProcess(
  command: string,
  args: string[],
  settings: Record<string, string> = {},
  cwd = ROOT,
): Promise<MeasuredProcess> {
  const started = performance.now()
  const child = spawn(command, args, { cwd, env: settings, stdio: ['ignore', 'ignore', 'pipe'] })
  let [said, peak] = ['', 0]
  child.stderr.on('data', (chunk: Buffer) => (said = `${said}${chunk.toString()}`.slice(-TOLD_CHARACTERS)))
  const ended = once(child, 'close') as Promise<[code: number | null]>
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  try {
    // The system keeps the peak itself; only what comes in the last moment can be missed.
    while (child.exitCode === null && child.signalCode === null) {
      peak = Math.max(peak, await peakBytes(child.pid!).catch(() => 0))
      await Promise.race([pause(LOOK_MS), ended])
    }
    const [code] = await ended
    if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${code}: ${said}`)
    return { seconds: (performance.now() - started) / 1000, peakMebibytes: peak / 2 ** 20 }
  } finally {
    process.off('exit', kill)
  }
}
