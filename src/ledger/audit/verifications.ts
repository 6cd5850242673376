import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { readHead } from '../read/read-head.ts'
import type { LedgerDb } from '../tables.ts'
import type { CheckpointSigner } from './sign-checkpoint.ts'
import { cancelRun, claimRun, readRun, storeRun, type Ended, type VerificationRun } from './verification-rows.ts'
import { verifyStoredLedger } from './verify-stored-ledger.ts'

/** A ledger with more events is only verified offline: the verifier's memory grows with the streams of a ledger. */
export const MAX_EVENTS = 1_000_000
/** Verifications that wait in this process. They run one after the other. */
const MAX_WAITING = 50
const BEAT_MS = 1_000

type Started = 'started' | 'running' | 'busy' | 'too-large'

export interface Verifications {
  /** Starts a verification, unless one is running in any process. */
  start(companyId: string, actor: string): Promise<Started>
  /** Cancels the verification that is running in any process. It stops within a second or so. */
  cancel(companyId: string): Promise<void>
  /** Reads the last verification; null if there was none. */
  read(companyId: string): Promise<VerificationRun | null>
  /** Interrupts all verifications of this process. */
  stop(): Promise<void>
}

interface Options {
  db: LedgerDb
  signer: CheckpointSigner
  onError(error: unknown): void
  maxEvents?: number
}

/**
 * Runs verifications of ledgers in this process, one at a time, in the order in which they were started. Their state is
 * a row per company, so that every process shows and cancels them, and so that a company has one at a time. They do not
 * survive the process: the verifier's memory is not stored, and starting again is safe.
 */
export function createVerifications({ db, signer, onError, maxEvents = MAX_EVENTS }: Options): Verifications {
  const stopping = new AbortController()
  /** The runs of this process by company, until they have ended. */
  const running = new Map<string, { done: Promise<void>; ended: AbortController }>()
  let last: Promise<unknown> = Promise.resolve()

  async function start(companyId: string, actor: string): Promise<Started> {
    if (running.has(companyId)) return 'running'
    if (stopping.signal.aborted || running.size >= MAX_WAITING) return 'busy'
    const { position: size, now } = await readHead(db, companyId)
    if (size > maxEvents) return 'too-large'
    const runId = randomUUID()
    if (!(await claimRun(db, companyId, { runId, actor, size, now }))) return 'running'
    const ended = new AbortController()
    const done = verify(companyId, runId, ended)
      .catch(onError)
      .finally(() => running.delete(companyId))
    running.set(companyId, { done, ended })
    return 'started'
  }

  /** Verifies when it is its turn, and stores progress and verdict. */
  async function verify(companyId: string, runId: string, ended: AbortController): Promise<void> {
    const signal = AbortSignal.any([stopping.signal, ended.signal])
    let position = 0
    const beating = beat(signal, async () => {
      // Canceled, or taken over by a run that did not see this one for a long time.
      if (!(await storeRun(db, companyId, runId, { position }))) ended.abort()
    })
    const before = last
    const work = unlessAborted(before, signal).then(() =>
      verifyStoredLedger(db, companyId, { signer, signal, onProgress: (reached) => (position = reached) }),
    )
    last = Promise.allSettled([before, work])
    try {
      // A statement that is running is not waited for.
      const verdict = await unlessAborted(work, signal).catch((error: unknown): Ended => {
        if (!signal.aborted) onError(error)
        return { verdict: stopping.signal.aborted ? 'interrupted' : 'failed' }
      })
      await storeRun(db, companyId, runId, { position, verdict })
    } finally {
      ended.abort()
      await beating
    }
  }

  /** Runs a task every second until the signal is aborted. */
  async function beat(signal: AbortSignal, task: () => Promise<void>): Promise<void> {
    while (!signal.aborted) {
      await pause(BEAT_MS, undefined, { signal }).catch(() => undefined)
      // If the database cannot be reached, the verification notices it, too.
      if (!signal.aborted) await task().catch(onError)
    }
  }

  return {
    start,
    async cancel(companyId) {
      await cancelRun(db, companyId)
      running.get(companyId)?.ended.abort()
    },
    read: (companyId) => readRun(db, companyId),
    async stop() {
      stopping.abort()
      await Promise.all([...running.values()].map(({ done }) => done))
    },
  }
}

/** Waits for a promise. Throws as soon as the signal is aborted. */
async function unlessAborted<Result>(promise: Promise<Result>, signal: AbortSignal): Promise<Result> {
  signal.throwIfAborted()
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const onAbort = () => reject(signal.reason as Error)
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([promise, aborted])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}
