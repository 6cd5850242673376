import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { existsSync } from 'node:fs'
import os from 'node:os'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { ReadingTask } from './frames.ts'
import { holdProgram, RUN_PROGRAM, TYPED_PROGRAM } from './plain-program.ts'
import { watchProcess, type Excess, type ProcessLimits } from './watch-process.ts'

const MIB = 1_048_576

/**
 * What reading a file may take. Honest workbooks of 100,000 rows take up to 433 MiB and 5 seconds of processor time; a
 * minute is for a machine that has much else to do.
 */
export const LIMITS: ProcessLimits = { memory: 512 * MIB, processor: 8_000, time: 60_000 }

/** How long a process waits for a file before it ends, which frees its memory. */
const IDLE_MS = 600_000

/**
 * Limits of the operating system. They are far above those that are watched, because a failed allocation lets the library
 * leave out a sheet in silence. If memory runs out, the system ends this process first. It also ends when its parent does,
 * however that happens: at once where `setpriv` can do it, else when its standard input ends.
 */
const LIMITED = `
{ ulimit -c 0; ulimit -d 2677760; ulimit -t 12; echo 1000 >/proc/self/oom_score_adj; } 2>/dev/null
setpriv --pdeathsig KILL true 2>/dev/null && exec setpriv --pdeathsig KILL env -i "$@"
exec env -i "$@"`

/** Less than the memory that it may take: texts and buffers lie outside of the heap. */
const HEAP = ['--max-old-space-size=256', '--max-semi-space-size=8']

/** Of everything that can wait. */
const PRIORITY = 10

/** How much of its complaints is kept, in characters. */
const MAX_COMPLAINT = 4_096

/** A process that waits for a file, reads it, and ends. */
export class ReaderProcess {
  readonly #child: ChildProcessWithoutNullStreams
  readonly #closed: Promise<unknown>
  #complaint = ''
  #exceeded: Excess | null = null
  #stopWatching = () => {}
  #idle: NodeJS.Timeout | undefined

  constructor() {
    const child = start()
    this.#child = child
    child.on('error', (error) => (this.#complaint += String(error)))
    child.stderr.on('data', (chunk: Buffer) => {
      this.#complaint = (this.#complaint + chunk.toString()).slice(-MAX_COMPLAINT)
    })
    child.stdin.on('error', () => {})
    this.#closed = once(child, 'close').catch(() => {})
    try {
      if (child.pid !== undefined) os.setPriority(child.pid, PRIORITY)
    } catch {
      // It has ended already, or the system has no priorities.
    }
  }

  get isWaiting(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null && this.#child.pid !== undefined
  }

  /** Lets it wait for a file, without keeping this program from ending. */
  waitIdle(): void {
    for (const handle of this.#handles()) handle.unref()
    this.#idle = setTimeout(() => this.kill(), IDLE_MS).unref()
  }

  /** Sends it a file, as fast as it takes it. It is ended once it takes too much, or if the file cannot be read. */
  send(task: ReadingTask, content: AsyncIterable<Uint8Array>): void {
    clearTimeout(this.#idle)
    for (const handle of this.#handles()) handle.ref()
    const { pid, stdin } = this.#child
    if (pid === undefined) return
    this.#stopWatching = watchProcess(pid, LIMITS, (what) => {
      this.#exceeded = what
      this.kill()
    })
    // Its standard input stays open: when that ends, it ends too.
    const all = async function* () {
      yield `${JSON.stringify(task)}\n`
      yield* content
    }
    pipeline(all, stdin, { end: false }).catch(() => {})
  }

  /** What it says. */
  get said(): AsyncIterable<Buffer> {
    return this.#child.stdout
  }

  /** Waits until it has ended by itself or was ended. Returns what it took too much of; throws if it failed otherwise. */
  async explainEnd(): Promise<Excess> {
    await this.#closed
    if (this.#exceeded !== null) return this.#exceeded
    const { signalCode, exitCode } = this.#child
    if (signalCode === 'SIGXCPU') return 'processor'
    // Its own heap was full, or the system's memory.
    if (signalCode !== null) return 'memory'
    throw new Error(`The process that reads a file ended with ${exitCode}: ${this.#complaint}`)
  }

  kill(): void {
    this.#stopWatching()
    this.#child.kill('SIGKILL')
  }

  #handles(): { ref(): unknown; unref(): unknown }[] {
    const { stdin, stdout, stderr } = this.#child
    return [this.#child, ...([stdin, stdout, stderr] as unknown as Socket[])]
  }
}

function start(): ChildProcessWithoutNullStreams {
  const held = holdProgram()
  const program = held ? ['--eval', RUN_PROGRAM, 'reader-program'] : [...mayRead(TYPED_PROGRAM), TYPED_PROGRAM]
  const node = [findNode(), ...HEAP, PERMISSION, ...program]
  const isWindows = process.platform === 'win32'
  const [command, ...args] = isWindows ? node : ['/bin/sh', '-c', LIMITED, 'sh', ...node]
  // A terminal's Ctrl-C is for its parent alone.
  const child = spawn(command!, args, { cwd: '/', env: {}, detached: !isWindows, windowsHide: true })
  if (held) child.stdin.write(held)
  return child
}

/** Node.js that runs this program, also if its file has been replaced or deleted since. */
function findNode(): string {
  return existsSync(process.execPath) ? process.execPath : `/proc/${process.pid}/exe`
}

/** With it, a process may neither read nor write files, nor start anything. */
const PERMISSION = process.allowedNodeEnvironmentFlags.has('--permission')
  ? '--permission'
  : '--experimental-permission'

/** It may read its own program and the packages. */
function mayRead(program: string): string[] {
  const own = ['../', '../../text/'].map((folder) => new URL(folder, pathToFileURL(program)))
  const folders = [...own, new URL('../../', import.meta.resolve('@e965/xlsx'))]
  return folders.map((folder) => `--allow-fs-read=${fileURLToPath(folder)}`)
}
