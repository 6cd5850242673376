import { hash } from 'node:crypto'
import type { Acting } from '#accounts/change-company'
import { doInTurns } from '#admission/turns'
import { BY_HAND } from '#domain/calls/answer-call'
import type { CallAnswer } from '#domain/calls/call-protocol'
import { readMany } from '#domain/calls/commands'
import type { CorrectedRecords } from '#domain/events'
import type { ManyOperation } from '#domain/operations'
import { runApiCall, type CommandServices } from './run-api-call.ts'

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
