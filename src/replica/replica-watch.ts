import type { Pool } from 'pg'
import type { Logger } from 'pino'
import { setTimeout as pause } from 'node:timers/promises'
import type { WalPosition } from './wal-position.ts'
import { findReplicaFault, PRIMARY_WAL_POSITION, REPLICA_WAL_POSITION } from './wal-position.ts'

/** The state of the replica, as seen by this process. */
export interface ReplicaWatch {
  /** Whether it may be read: it answers, replays this primary's WAL, and lags no more than the bound. */
  isUsable(): boolean
  /** Seconds by which it lags; Infinity if unknown. */
  lagSeconds(): number
  /** Aborted when the replica fails; there is a new signal once it has answered again. */
  failed(): AbortSignal
  /** Marks the replica as failed, so that nobody reads from it until it has answered the watch again. */
  fail(error: unknown): void
  stop(): Promise<void>
}

interface ReplicaWatchOptions {
  /** Pools of one connection each, for the watch only. */
  primary: Pool
  replica: Pool
  /** Milliseconds by which it may lag. */
  boundMs: number
  /** Whether the replica has the tables that this program reads. */
  isComplete(): Promise<boolean>
  log: Logger
}

/** The number of checks within the bound, with a minimum and maximum pause. */
const LOOKS_WITHIN_BOUND = 4
const SHORTEST_PAUSE_MS = 50
const LONGEST_PAUSE_MS = 1_000
const ANSWERS_WITHIN_MS = 2_000
/** The number of WAL positions waited for. Beyond that, none is added until the replica has reached one. */
const MAX_MARKS = 200

/** A WAL position of the primary, and when it was current, by this process's monotonic clock. */
interface Mark {
  at: number
  bytes: number
}

/**
 * Measures the lag of a replica: asks the primary for its WAL position, and the replica whether it has replayed it. So
 * an idle primary causes no lag, and the machines' clocks do not matter. Accepts only a standby in recovery, of the
 * same cluster and on the same timeline, because any other one has a different history.
 */
export function watchReplica(options: ReplicaWatchOptions): ReplicaWatch {
  const { primary, replica, boundMs, isComplete, log } = options
  const pauseMs = Math.min(LONGEST_PAUSE_MS, Math.max(SHORTEST_PAUSE_MS, boundMs / LOOKS_WITHIN_BOUND))
  const stopped = new AbortController()
  let marks: Mark[] = []
  let currentAt = -Infinity
  let failing = new AbortController()
  let reported: string | null = null

  async function look({ at, ahead }: { at: number; ahead: WalPosition }): Promise<void> {
    const behind = (await replica.query<WalPosition>(REPLICA_WAL_POSITION)).rows[0]!
    const fault =
      findReplicaFault(ahead, behind) ??
      ((await isComplete()) ? null : 'has not replayed the tables that this program reads')
    if (fault !== null) return refuse(fault)
    if (marks.length < MAX_MARKS) marks.push({ at, bytes: ahead.bytes })
    const reached = marks.findLast(({ bytes }) => bytes <= behind.bytes)
    if (reached) {
      marks = marks.filter((mark) => mark.at > reached.at)
      currentAt = reached.at
    }
    if (failing.signal.aborted) failing = new AbortController()
    // After the first check, the lag is not known yet.
    const waitedMs = performance.now() - (marks[0]?.at ?? Infinity)
    if (isUsable()) report(null)
    else if (waitedMs > boundMs) report(`is more than ${boundMs} ms behind`)
  }

  /** Earlier positions no longer count. */
  function refuse(fault: string): void {
    marks = []
    currentAt = -Infinity
    failing.abort()
    report(fault)
  }

  function report(fault: string | null): void {
    if (fault === reported) return
    reported = fault
    if (fault === null) log.info('the replica is in use again')
    else log.warn(`the replica is not in use: it ${fault}`)
  }

  const isUsable = () => !failing.signal.aborted && performance.now() - currentAt <= boundMs
  const fail = (error: unknown) => refuse(`has failed: ${error instanceof Error ? error.message : String(error)}`)

  async function run(): Promise<void> {
    while (!stopped.signal.aborted) {
      const at = performance.now()
      // While the primary does not answer, the last known state ages.
      const ahead = await primary.query<WalPosition>(PRIMARY_WAL_POSITION).then(
        ({ rows }) => rows[0]!,
        () => null,
      )
      if (ahead)
        await callIfLate(
          ANSWERS_WITHIN_MS,
          () => look({ at, ahead }).catch(fail),
          () => fail(new Error('no answer')),
        )
      await pause(pauseMs, undefined, { signal: stopped.signal }).catch(() => undefined)
    }
  }

  const running = run()
  return {
    ...{ isUsable, fail },
    lagSeconds: () => (performance.now() - currentAt) / 1_000,
    failed: () => failing.signal,
    async stop() {
      stopped.abort()
      await running
    },
  }
}

/** Waits for a task, and calls `onLate` once if it takes too long. */
async function callIfLate(ms: number, task: () => Promise<void>, onLate: () => void): Promise<void> {
  const timer = setTimeout(onLate, ms)
  await task()
  clearTimeout(timer)
}
