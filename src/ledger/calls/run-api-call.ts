import { RefusedCredentialsError, problem } from '#domain/errors'
import { refusedCommand } from '#domain/calls/commands'
import type { CallAnswer } from '#domain/calls/call-protocol'
import type { WriteCall } from '#domain/calls/write-call'
import type { NewEvent } from '#domain/events'
import type { IdPrefix } from '#domain/ids'
import { UnstorableCallError } from '../append/commit-batch.ts'
import type { Lanes } from '../append/lanes.ts'
import type { CallsInProgress } from './calls-in-progress.ts'

/** What writing calls need. */
export interface CommandServices {
  lanes: Lanes
  newId(prefix: IdPrefix): string
  /** Maximum number of records in a call. */
  maxRecords: number
  /** Whether the valid records of failed calls are kept. */
  keepsFailed: boolean
  /** How long a call may wait for its turn, in milliseconds. */
  maxWaitMs: number
  inProgress: CallsInProgress
}

/** The answer to a call, and what was stored. */
interface AnsweredCall extends CallAnswer {
  /** The id of the stored call; null when nothing was stored. */
  callId: string | null
  /** Of a call that only validates, the events that it would append. */
  preview?: NewEvent[]
}

/**
 * Runs one writing call: appends its events and gives its answer once they are durable. If the call cannot be
 * stored, appends it as failed instead. Throws RefusedCredentialsError, IdempotencyInProgressError, or UnavailableError
 * when the ledger cannot be written.
 */
export async function runApiCall(services: CommandServices, call: WriteCall): Promise<AnsweredCall> {
  return services.inProgress.run(call, async () => {
    try {
      return await append(services.lanes, call)
    } catch (error) {
      if (!(error instanceof UnstorableCallError)) throw error
      const { operation, count, offending } = call.command
      const internalError = problem('internal_error', 'The call failed on our side; nothing was applied')
      // With the same id, which the log names: nothing was stored under it.
      return append(services.lanes, { ...call, command: refusedCommand(operation, internalError, count, offending) })
    }
  })
}

async function append(lanes: Lanes, call: WriteCall): Promise<AnsweredCall> {
  const { answer, position, preview } = await lanes.append(call)
  if (!answer) throw new RefusedCredentialsError('the key was revoked or its secret replaced meanwhile')
  if (position === null) return { ...answer, callId: null, ...(preview ? { preview } : {}) }
  const headers = { ...answer.headers, 'x-ledger-position': String(position) }
  return { ...answer, headers, callId: call.callId }
}
