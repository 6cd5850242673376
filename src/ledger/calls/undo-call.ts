import { UNDO } from '#domain/calls/answer-undo'
import { undoCommand } from '#domain/calls/commands'
import type { Idempotency } from '#domain/calls/earlier-call'
import type { Client } from '#domain/client'
import type { FoundCall } from '../corrections/find-calls.ts'
import type { LedgerDb } from '../tables.ts'
import { readUndo } from '../undo/read-undo.ts'
import { runApiCall, type CommandServices } from './run-api-call.ts'

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
