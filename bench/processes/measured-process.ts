import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { readPeakBytes } from './machine.ts'

const ROOT = path.resolve(import.meta.dirname, '../..')
const LOOK_MS = 50
/** How much of the error output to keep. */
const KEPT_CHARACTERS = 1_000

/** The time and memory that a process used. */
export interface MeasuredProcess {
  seconds: number
  /** Peak resident memory, without PostgreSQL. */
  peakMebibytes: number
}

/** Runs a program with only these settings as its environment, and waits for it. Throws when it fails. */
export async function measureProcess(
  command: string,
  args: string[],
  settings: Record<string, string>,
): Promise<MeasuredProcess> {
  const started = performance.now()
  const child = spawn(command, args, { cwd: ROOT, env: settings, stdio: ['ignore', 'ignore', 'pipe'] })
  let [said, peak] = ['', 0]
  child.stderr.on('data', (chunk: Buffer) => (said = `${said}${chunk.toString()}`.slice(-KEPT_CHARACTERS)))
  const ended = once(child, 'close') as Promise<[code: number | null]>
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  try {
    // The kernel keeps the peak, so polling can miss only a peak in the last moment.
    while (child.exitCode === null && child.signalCode === null) {
      peak = Math.max(peak, await readPeakBytes(child.pid!).catch(() => 0))
      await Promise.race([pause(LOOK_MS), ended])
    }
    const [code] = await ended
    if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${code}: ${said}`)
    return { seconds: (performance.now() - started) / 1000, peakMebibytes: peak / 2 ** 20 }
  } finally {
    process.off('exit', kill)
  }
}
