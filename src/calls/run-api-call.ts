import { RefusedCredentialsError } from '../accounts/refused-credentials-error.ts'
import { setTimeout as pause } from 'node:timers/promises'
import { problem } from '../domain/errors.ts'
import type { IdPrefix } from '../domain/ids.ts'
import { UnavailableError } from '../admission/batcher.ts'
import type { KeyedCall, LongCalls } from '../ledger/append/long-calls.ts'
import type { Lanes } from '../ledger/append/lanes.ts'
import { FaultyCallError } from '../ledger/append/lanes.ts'
import { decideCall } from './decide-call.ts'
import type { CallAnswer, Caller, PreparedCall } from './prepared-call.ts'
import { refusedCall } from './prepared-call.ts'

/** What the commands work with. */
export interface CommandServices {
  lanes: Lanes
  newId(prefix: IdPrefix): string
  /** How many records a call may have. */
  maxRecords: number
  /** Idempotency keys with a call under way in this process, and how many there are of each. */
  inProgress: Map<string, number>
  longCalls: LongCalls
}

/** The answer to a call that was run. */
export interface RunCall extends CallAnswer {
  /** The id under which it was stored; null when nothing was. */
  callId: string | null
}

/**
 * Runs one writing call: decides it under the lock of its company, appends its events and gives the answer once they
 * are durable. Throws RefusedCredentialsError, or UnavailableError when the ledger cannot be written.
 */
export async function runApiCall(services: CommandServices, caller: Caller, call: PreparedCall): Promise<RunCall> {
  const callId = services.newId('log')
  try {
    return await withKeyInProgress(services, caller, callId, () => append(services, caller, call, callId))
  } catch (error) {
    if (!(error instanceof FaultyCallError)) throw error
    const { operation, count, blamed } = call
    const fault = problem('internal_error', 'The call failed on our side; nothing was applied')
    // Under the same id, by which the log tells of the fault: nothing was stored under it.
    return append(services, caller, refusedCall(operation, fault, count, blamed), callId)
  }
}

/** The answer to give while the first call with this idempotency key is still running, after it was waited for. */
export class IdempotencyInProgressError extends Error {
  override name = 'IdempotencyInProgressError'
}

/** How long a call waits for the first one with its key, in milliseconds. */
const WAIT_MS = 10_000
/** A call that is under way for longer is noted for other processes, in milliseconds. */
const NOTED_AFTER_MS = 1_000

/**
 * A call waits for the one before it because both need the head of their company. When that takes too long, the client
 * is told whether it was the first call with the same key that it waited for, in whatever process that runs. What is
 * carried out behind such an answer is bound to the key: a retry finds it.
 */
async function withKeyInProgress(
  { inProgress, longCalls }: CommandServices,
  { companyId, apiId, idempotency }: Caller,
  callId: string,
  task: () => Promise<RunCall>,
): Promise<RunCall> {
  if (!idempotency) return task()
  const call: KeyedCall = { companyId, apiId, keyHash: idempotency.keyHash, callId, beganAt: performance.now() }
  const name = `${apiId} ${idempotency.keyHash}`
  const others = inProgress.get(name) ?? 0
  inProgress.set(name, others + 1)
  const assertFirst = async (cause?: unknown) => {
    const isFirst = others === 0 && !(await longCalls.isBehindAnother(call))
    if (!isFirst) throw new IdempotencyInProgressError('the first call is still running', { cause })
  }
  const running = noteWhenLong(longCalls, call, task()).finally(() => {
    const left = (inProgress.get(name) ?? 1) - 1
    if (left > 0) inProgress.set(name, left)
    else inProgress.delete(name)
  })
  const outcome = running.catch(async (error: unknown) => {
    if (error instanceof UnavailableError) await assertFirst(error)
    throw error
  })
  const end = new AbortController()
  const late = pause(WAIT_MS, undefined, { signal: end.signal })
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

/** Tells other processes of a call from when it has taken long until it ends. */
async function noteWhenLong(longCalls: LongCalls, call: KeyedCall, running: Promise<RunCall>): Promise<RunCall> {
  let noted: Promise<void> | undefined
  const timer = setTimeout(() => {
    noted = longCalls.note(call)
  }, NOTED_AFTER_MS)
  try {
    return await running
  } finally {
    clearTimeout(timer)
    if (noted) void noted.then(() => longCalls.remove(call))
  }
}

/** A usual record has a few hundred bytes; one of more counts as several. */
const BYTES_OF_RECORD = 1_024

/** What a call costs those beside it: its records, read, decided and stored. It is not what the call claims to be. */
function weightOf({ count, isRefused }: PreparedCall, bodyBytes: number): number {
  return isRefused ? 1 : Math.max(1, count, Math.ceil(bodyBytes / BYTES_OF_RECORD))
}

async function append(services: CommandServices, caller: Caller, call: PreparedCall, callId: string): Promise<RunCall> {
  const { companyId, apiId, idempotency, traceparent } = caller
  const { answer, position } = await services.lanes.append({
    callId,
    companyId,
    apiId,
    idempotency,
    traceparent,
    records: call.count,
    weight: weightOf(call, caller.bodyBytes),
    touches: call.touches,
    decide: (state) => decideCall(caller, call, callId, state),
  })
  if (!answer) throw new RefusedCredentialsError('the key was revoked or its secret replaced meanwhile')
  if (position === null) return { ...answer, callId: null }
  return { ...answer, callId, headers: { ...answer.headers, 'x-ledger-position': String(position) } }
}
