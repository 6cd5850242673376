import { readFileSync, writeFileSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout } from 'node:timers/promises'

/** What a process used since its watchdog was last read. */
export interface LoopUse {
  /** The longest time between two turns of the event loop, in milliseconds. A busy machine makes it longer. */
  longestPauseMs: number
  /** The most CPU time that the thread of the event loop used between two turns, in milliseconds. */
  longestWorkMs: number
  /** CPU time of all threads, in milliseconds. */
  cpuMs: number
  /** The largest resident memory, in bytes. */
  peakBytes: number
}

/** Watches the event loop of the process that it runs in. */
export interface EventLoopWatchdog {
  /** Returns what was used since the last reading, and begins again. */
  read(): Promise<LoopUse>
  stop(): void
}

/** Between two looks. Shorter work is not told apart from the looks themselves. */
const EVERY_MS = 5
const KIB = 1024

/** Starts to watch the event loop of this process. On Linux alone. */
export function watchEventLoop(): EventLoopWatchdog {
  const delays = monitorEventLoopDelay({ resolution: EVERY_MS })
  delays.enable()
  let [atLook, longestWork] = [threadCpu(), 0]
  let atRead = process.cpuUsage()
  const look = () => {
    const now = threadCpu()
    longestWork = Math.max(longestWork, now - atLook)
    atLook = now
  }
  const timer = setInterval(look, EVERY_MS).unref()
  return {
    async read() {
      // What is being measured ends first: the delays are recorded by a timer.
      await setTimeout(2 * EVERY_MS)
      look()
      const { user, system } = process.cpuUsage(atRead)
      const use: LoopUse = {
        longestPauseMs: Math.max(0, delays.max / 1e6 - EVERY_MS),
        longestWorkMs: longestWork / 1_000,
        cpuMs: (user + system) / 1_000,
        peakBytes: takePeak(),
      }
      delays.reset()
      longestWork = 0
      atRead = process.cpuUsage()
      return use
    },
    stop() {
      clearInterval(timer)
      delays.disable()
    },
  }
}

/** CPU time of this thread, in microseconds. */
function threadCpu(): number {
  const { user, system } = process.threadCpuUsage()
  return user + system
}

/** The largest resident memory since it was last taken, in bytes: see proc_pid_clear_refs(5). */
function takePeak(): number {
  const [, kib] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? []
  writeFileSync('/proc/self/clear_refs', '5')
  return Number(kib) * KIB
}
