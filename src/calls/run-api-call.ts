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

/** What writing calls need. */
export interface CommandServices {
  lanes: Lanes
  newId(prefix: IdPrefix): string
  /** Maximum number of records in a call. */
  maxRecords: number
  /** The number of calls in progress in this process, by idempotency key. */
  inProgress: Map<string, number>
  longCalls: LongCalls
}

/** The answer to a call, and what was stored. */
export interface RunCall extends CallAnswer {
  /** The id of the stored call; null when nothing was stored. */
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
    // With the same id, which the log names: nothing was stored under it.
    return append(services, caller, refusedCall(operation, fault, count, blamed), callId)
  }
}

/** The first call with this idempotency key is still running, although this one waited for it. */
export class IdempotencyInProgressError extends Error {
  override name = 'IdempotencyInProgressError'
}

/** How long a call waits for the first one with its key, in milliseconds. */
const WAIT_MS = 10_000
/** A call that takes longer is announced to other processes, in milliseconds. */
const NOTED_AFTER_MS = 1_000

/**
 * Calls with the same idempotency key wait for each other, because all of them need the head of their company. When the
 * wait is too long, the client is told that the first call is still running, whichever process runs it. If this call
 * completes after that answer, it is bound to the key, and a retry finds it.
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

/** Announces a call to other processes once it takes long, and withdraws it when it ends. */
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

/** A usual record has a few hundred bytes; a larger one counts as several. */
const BYTES_OF_RECORD = 1_024

/** The weight of a call in the queues, in records of a usual size, by its actual size. */
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
