import { problem } from '../domain/errors.ts'
import type { IdPrefix } from '../domain/ids.ts'
import { UnavailableError } from '../ledger/gather.ts'
import type { Lanes } from '../ledger/lanes.ts'
import { FaultyCallError } from '../ledger/lanes.ts'
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
}

/** The secret turned out not to be good (any more) when the call was decided: nothing was stored. */
export class RefusedCredentialsError extends Error {
  override name = 'RefusedCredentialsError'
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
    return await withKeyInProgress(services.inProgress, caller, () => append(services, caller, call, callId))
  } catch (error) {
    if (!(error instanceof FaultyCallError)) throw error
    const { operation, count, blamed } = call
    const fault = problem('internal_error', 'the call could not be carried out; nothing was applied')
    // Under the same id, by which the log tells of the fault: nothing was stored under it.
    return append(services, caller, refusedCall(operation, fault, count, blamed), callId)
  }
}

/** The answer to give while the first call with this idempotency key is still running, after it was waited for. */
export class IdempotencyInProgressError extends Error {
  override name = 'IdempotencyInProgressError'
}

/**
 * A call waits for the one before it because both need the head of their company. When that takes too long, the client
 * is told whether it was the first call with the same key that it waited for.
 */
async function withKeyInProgress(
  inProgress: Map<string, number>,
  { apiId, idempotency }: Caller,
  task: () => Promise<RunCall>,
): Promise<RunCall> {
  if (!idempotency) return task()
  const name = `${apiId} ${idempotency.keyHash}`
  const others = inProgress.get(name) ?? 0
  inProgress.set(name, others + 1)
  try {
    return await task()
  } catch (error) {
    if (others > 0 && error instanceof UnavailableError) {
      throw new IdempotencyInProgressError('the first call is still running', { cause: error })
    }
    throw error
  } finally {
    const left = (inProgress.get(name) ?? 1) - 1
    if (left > 0) inProgress.set(name, left)
    else inProgress.delete(name)
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
