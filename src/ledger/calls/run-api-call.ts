import { RefusedCredentialsError, problem } from '#domain/errors'
import { refusedCommand, type WriteCall, undoCommand, readMany, type Idempotency } from '#domain/calls/commands'
import type { CallAnswer } from '#domain/calls/call-decision'
import type { NewEvent, CorrectedRecords } from '#domain/events'
import type { IdPrefix } from '#domain/ids'
import { UnstorableCallError } from '#ledger/append/commit-batch'
import type { Lanes } from '#ledger/append/lanes'
import type { CallsInProgress } from './calls-in-progress.ts'
import { UNDO, BY_HAND } from '#domain/calls/answer-call'
import type { Client } from '#domain/call-sources'
import type { FoundCall } from '#ledger/corrections/corrections'
import type { LedgerDb } from '#ledger/tables'
import { readUndo } from '#ledger/undo/undoings'
import { hash } from 'node:crypto'
import type { Acting } from '#accounts/change-company'
import { doInTurns } from '#admission/turns'
import type { ManyOperation } from '#domain/operations'

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

/** Who takes a call back, and how. */
export interface UndoRequest {
  companyId: string
  userId: string
  client: Client | null
  requestId: string
  traceparent: string | null
  /** Whether something that has to stay keeps all the rest, too. */
  isAllOrNone: boolean
  /** Answer what would happen, and store nothing. */
  validateOnly: boolean
  /** The id of the call that does it, and its idempotency key, so that it is made once; null for a new one. */
  once: { callId: string; idempotency: Idempotency } | null
}

/**
 * Takes back what a call changed, by a call of its own. Decides under the lock of the company, on the state of that
 * moment, what has to stay. Returns null if the call has changed nothing. Throws as `runApiCall` does.
 */
export async function undoCall(
  { commands, db }: { commands: CommandServices; db: LedgerDb },
  undone: Pick<FoundCall, 'id' | 'position' | 'status' | 'total'>,
  request: UndoRequest,
) {
  const { companyId, userId, client, isAllOrNone, once, ...others } = request
  const planned = await readUndo(db, companyId, undone)
  if (planned.length === 0) return null
  const records = isAllOrNone ? planned : planned.map((record) => ({ ...record, leavesOut: true as const }))
  const now = performance.now()
  return runApiCall(commands, {
    callId: once?.callId ?? commands.newId('log'),
    companyId,
    caller: { userId, upload: null },
    protocol: UNDO,
    sentFrom: client?.address ?? '',
    userAgent: client?.userAgent ?? null,
    arrivedAt: now,
    waitsUntil: now + commands.maxWaitMs,
    bodyBytes: 0,
    idempotency: once?.idempotency ?? null,
    isAllOrNone,
    linksByEmail: false,
    ...others,
    command: undoCommand(undone.id, records),
  })
}

/** What an administrator does in a form, and who it is. */
interface HandCall {
  acting: Acting
  requestId: string
  operation: ManyOperation
  records: readonly unknown[]
  /** The records of other calls that these are, corrected. */
  corrects: CorrectedRecords
  /** Names the form as it was shown, so that one that is sent twice makes one call. */
  form: string
}

/** Makes the call of an administrator who filled in a form. It applies all records or none. Throws as `runApiCall` does. */
export async function callByHand(
  commands: CommandServices,
  { acting, requestId, operation, records, corrects, form }: HandCall,
): Promise<CallAnswer & { callId: string | null }> {
  const { companyId, actor: userId, client, traceparent = null } = acting
  const now = performance.now()
  const text = JSON.stringify(records)
  const most = Math.max(commands.maxRecords, records.length)
  const command = await doInTurns(readMany(operation, records, most, commands.newId))
  return runApiCall(commands, {
    callId: commands.newId('log'),
    companyId,
    caller: {
      userId,
      upload: { fileName: null, corrects: Object.keys(corrects), correctedRecords: corrects, part: null },
    },
    protocol: BY_HAND,
    sentFrom: client?.address ?? '',
    userAgent: client?.userAgent ?? null,
    arrivedAt: now,
    waitsUntil: now + commands.maxWaitMs,
    bodyBytes: Buffer.byteLength(text),
    idempotency: { keyHash: hash('sha256', `form ${form}`, 'hex'), requestHash: hash('sha256', text, 'hex') },
    isAllOrNone: true,
    linksByEmail: false,
    keepsFailed: commands.keepsFailed,
    validateOnly: false,
    requestId,
    traceparent,
    command,
  })
}
