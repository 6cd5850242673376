import { setTimeout as pause } from 'node:timers/promises'
import { UnavailableError } from '#admission/batcher'
import type { WriteCall } from '#domain/calls/commands'
import { actorOf } from '#domain/calls/callers'
import { boundName } from '../append/idempotency-keys.ts'
import type { KeyedCall, LongCalls } from '../append/long-calls.ts'

/** The first call with this idempotency key is still running, although this one waited for it. */
export class IdempotencyInProgressError extends Error {
  override name = 'IdempotencyInProgressError'
}

/** Whether the same call may succeed a little later. */
export function isPassing(error: unknown): boolean {
  return error instanceof UnavailableError || error instanceof IdempotencyInProgressError
}

/** The calls with idempotency keys that are in progress. */
export interface CallsInProgress {
  /**
   * Runs a call. Calls with the same idempotency key wait for each other, because all of them need the head of their
   * company. If the wait is too long, or the call gets no turn, throws IdempotencyInProgressError when the first call
   * is still running, whichever process runs it. If this call completes after that answer, it is bound to the key, and
   * a retry finds it.
   */
  run<Answer>(call: WriteCall, task: () => Promise<Answer>): Promise<Answer>
}

/** A call that takes longer is announced to other processes, in milliseconds; sooner if calls wait for a shorter time. */
const ANNOUNCED_AFTER_MS = 1_000

/** Opens the calls in progress. `maxWaitMs` is how long a call waits for the first one with its key. */
export function createCallsInProgress(longCalls: LongCalls, maxWaitMs: number): CallsInProgress {
  /** The calls in this process, by idempotency key. */
  const running = new Map<string, Set<KeyedCall>>()

  async function run<Answer>(call: KeyedCall, task: () => Promise<Answer>) {
    const name = boundName(call)
    const together = running.get(name) ?? new Set()
    const earlier = [...together]
    running.set(name, together.add(call))
    const assertFirst = async (cause?: unknown) => {
      const isFirst = !earlier.some((other) => together.has(other)) && !(await longCalls.isBehindAnother(call))
      if (!isFirst) throw new IdempotencyInProgressError('the first call is still running', { cause })
    }
    const outcome = announceWhenLong(longCalls, call, task(), Math.min(ANNOUNCED_AFTER_MS, maxWaitMs / 2))
      .finally(() => {
        together.delete(call)
        if (together.size === 0) running.delete(name)
      })
      .catch(async (error: unknown) => {
        if (error instanceof UnavailableError) await assertFirst(error)
        throw error
      })
    const end = new AbortController()
    const late = pause(maxWaitMs, undefined, { signal: end.signal })
      .then(() => assertFirst())
      .then(() => outcome)
    late.catch(() => undefined)
    try {
      return await Promise.race([outcome, late])
    } finally {
      end.abort()
      outcome.catch(() => undefined)
    }
  }

  return {
    run(call, task) {
      const { companyId, callId, idempotency } = call
      if (!idempotency) return task()
      const { keyHash } = idempotency
      return run({ companyId, actor: actorOf(call), callId, keyHash, beganAt: performance.now() }, task)
    },
  }
}

/** Announces a call to other processes after so many milliseconds, and withdraws it when it ends. */
async function announceWhenLong<Answer>(
  longCalls: LongCalls,
  call: KeyedCall,
  running: Promise<Answer>,
  afterMs: number,
) {
  let announced: Promise<void> | undefined
  const timer = setTimeout(() => {
    announced = longCalls.announce(call)
  }, afterMs)
  try {
    return await running
  } finally {
    clearTimeout(timer)
    if (announced) void announced.then(() => longCalls.withdraw(call))
  }
}
