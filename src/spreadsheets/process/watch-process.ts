import { closeSync, openSync, readSync } from 'node:fs'

/** What a process took too much of. */
export type Excess = 'memory' | 'processor' | 'time'

/** What a process may take: bytes of resident memory, and milliseconds of processor time and of time. */
export type ProcessLimits = Readonly<Record<Excess, number>>

const EVERY_MS = 25

/**
 * Looks at a process every 25 ms, and says once what it takes too much of. Returns the function that ends this. What it
 * takes is known on Linux only; elsewhere, only its time is limited.
 */
export function watchProcess(pid: number, limits: ProcessLimits, exceed: (what: Excess) => void): () => void {
  const began = performance.now()
  const usage = process.platform === 'linux' ? openUsage(pid) : null
  const begun = usage?.read()
  const timer = setInterval(() => {
    const now = usage?.read()
    const exceeded =
      now && now.memory > limits.memory
        ? 'memory'
        : now && begun && now.processor - begun.processor > limits.processor
          ? 'processor'
          : performance.now() - began > limits.time
            ? 'time'
            : null
    if (exceeded === null) return
    end()
    exceed(exceeded)
  }, EVERY_MS)
  const end = () => {
    clearInterval(timer)
    usage?.close()
  }
  return end
}

interface Usage {
  read(): Pick<ProcessLimits, 'memory' | 'processor'> | null
  close(): void
}

/** The bytes that either file has at most. */
const MAX_BYTES = 4_096
const KIB = 1_024
/** A tick of `/proc/PID/stat` (proc(5)), whose unit Linux fixes for programs. */
const TICK_MS = 10
/** The fields utime and stime, counted from the one behind the name, which may contain anything. */
const [UTIME, STIME] = [11, 12]

/** Opens what Linux says about a process. The open files stay those of this process, whatever gets its number later. */
function openUsage(pid: number): Usage | null {
  const open: number[] = []
  const buffer = Buffer.alloc(MAX_BYTES)
  const readText = (file: number) => buffer.toString('latin1', 0, readSync(file, buffer, 0, MAX_BYTES, 0))
  const close = () => {
    for (const file of open) closeSync(file)
    open.length = 0
  }
  try {
    for (const name of ['status', 'stat']) open.push(openSync(`/proc/${pid}/${name}`, 'r'))
  } catch {
    close()
    return null
  }
  return {
    close,
    read() {
      try {
        const [status = '', stat = ''] = open.map(readText)
        const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
        return {
          memory: Number(/^VmRSS:\s*(\d+) kB$/m.exec(status)?.[1] ?? 0) * KIB,
          processor: (Number(fields[UTIME]) + Number(fields[STIME])) * TICK_MS,
        }
      } catch {
        // It has ended.
        return null
      }
    },
  }
}
