import type { Pool } from 'pg'
import type { Logger } from 'pino'
import { setTimeout as pause } from 'node:timers/promises'
import type { WalPosition } from './wal-position.ts'
import { findReplicaFault, PRIMARY_WAL_POSITION, REPLICA_WAL_POSITION } from './wal-position.ts'

/** What is known of the replica, in this process. */
export interface ReplicaWatch {
  /** Whether it may be read: it answers, replays the log of this primary, and is not further behind than the bound. */
  isUsable(): boolean
  /** It has all that was committed so many seconds ago; Infinity when that is not known. */
  lagSeconds(): number
  /** Aborted when the replica fails; after it has answered again there is another signal. */
  failed(): AbortSignal
  /** Tells that it has failed: nobody asks it until it has answered the watch again. */
  fail(error: unknown): void
  stop(): Promise<void>
}

export interface ReplicaWatchOptions {
  /** Of one connection each, which are the watch's own. */
  primary: Pool
  replica: Pool
  /** How far behind it may be, in milliseconds. */
  boundMs: number
  /** Whether the replica has the tables that this program reads. */
  isComplete(): Promise<boolean>
  log: Logger
}

/** Looks so many times within the bound, but never without a rest, and never seldom. */
const LOOKS_WITHIN_BOUND = 4
const SHORTEST_PAUSE_MS = 50
const LONGEST_PAUSE_MS = 1_000
const ANSWERS_WITHIN_MS = 2_000
/** Places of the log that are waited for. When there are more, none is added until the replica has reached one. */
const MAX_MARKS = 200

/** A place of the primary's log, and when it was the end of it, by this process's clock that only goes forward. */
interface Mark {
  at: number
  bytes: number
}

/**
 * Watches how far behind a replica is: asks the primary where the end of its log is, and the replica whether it has replayed
 * up to there. So an idle primary is no lag, and the clocks of the machines do not matter. Only a standby in recovery, of the
 * same cluster and on the same timeline, counts: a standby of a server from before a restore has another history.
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
    // Of the first look it is not known yet.
    const waitedMs = performance.now() - (marks[0]?.at ?? Infinity)
    if (isUsable()) report(null)
    else if (waitedMs > boundMs) report(`is more than ${boundMs} ms behind`)
  }

  /** What it reported of places before does not count any more. */
  function refuse(fault: string): void {
    marks = []
    currentAt = -Infinity
    failing.abort()
    report(fault)
  }

  function report(fault: string | null): void {
    if (fault === reported) return
    reported = fault
    if (fault === null) log.info('the replica is read again')
    else log.warn(`the replica is not read: it ${fault}`)
  }

  const isUsable = () => !failing.signal.aborted && performance.now() - currentAt <= boundMs
  const fail = (error: unknown) => refuse(`has failed: ${error instanceof Error ? error.message : String(error)}`)

  async function run(): Promise<void> {
    while (!stopped.signal.aborted) {
      const at = performance.now()
      // While the primary does not answer, nothing is known of the replica: what was known ages.
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

/** Waits for a task, and says so once when it takes longer. */
async function callIfLate(ms: number, task: () => Promise<void>, onLate: () => void): Promise<void> {
  const timer = setTimeout(onLate, ms)
  await task()
  clearTimeout(timer)
}
