import { RefusedByStateError, type Acting } from '#accounts/change-company'
import type { CallAnswer } from '#domain/calls/call-decision'
import type { LeftAttribute, UndoAnswer, UndoneRecord } from '#domain/calls/answer-call'
import { problem } from '#domain/errors'
import type { NewEvent } from '#domain/events'
import { isId } from '#domain/ids'
import { type CommandServices, undoCall } from '#ledger/calls/run-api-call'
import { findCalls, NO_SUCH_ENTRY } from '#ledger/corrections/corrections'
import type { LedgerDb } from '#ledger/tables'
import { findLaterChanges } from '#ledger/undo/undoings'

/** What undoing entries needs. */
export interface UndoServices {
  db: LedgerDb
  commands: CommandServices
}

/** An attribute that stays as it is, and what set it last. */
export interface StayingAttribute extends LeftAttribute {
  /** Null if it stays for another reason, or if more attributes stay than are looked into. */
  changed_by: { log_id: string | null; position: number; recorded_at: string } | null
}

/** What undoing an entry did, or would do. */
export interface UndoOutcome extends Omit<UndoAnswer, 'results'> {
  undoes: string
  results: (Omit<UndoneRecord, 'left'> & { left: StayingAttribute[] })[]
}

/** How many attributes that stay are looked into. */
export const MAX_LOOKED_INTO = 1_000

export const NOTHING_TO_UNDO = problem('nothing_to_undo', 'The call of this entry has changed nothing')

/**
 * Undoes an entry by a call of its own. The body of an answer of 200 is an UndoOutcome. Throws RefusedByStateError with
 * `log_not_found` or `nothing_to_undo`.
 */
export async function undoEntry(
  services: UndoServices,
  { companyId, actor, client, traceparent }: Acting,
  logId: string,
  {
    maxLookedInto = MAX_LOOKED_INTO,
    ...how
  }: { isAllOrNone: boolean; validateOnly: boolean; requestId: string; maxLookedInto?: number },
): Promise<CallAnswer & { callId: string | null; preview?: NewEvent[] }> {
  const [call] = isId('log', logId) ? await findCalls(services.db, companyId, [logId]) : []
  if (!call) throw new RefusedByStateError(NO_SUCH_ENTRY)
  const by = { companyId, userId: actor, client: client ?? null, traceparent: traceparent ?? null, once: null }
  const answer = await undoCall(services, call, { ...by, ...how })
  if (!answer) throw new RefusedByStateError(NOTHING_TO_UNDO)
  if (answer.status !== 200) return answer
  const { results, ...others } = answer.body as UndoAnswer
  const explained = await explainLeft(services.db, companyId, results, call.position, maxLookedInto)
  return { ...answer, body: { undoes: logId, ...others, results: explained } satisfies UndoOutcome }
}

/** Adds what set the attributes that stay. */
async function explainLeft(
  db: LedgerDb,
  companyId: string,
  results: readonly UndoneRecord[],
  after: number,
  maxLookedInto: number,
): Promise<UndoOutcome['results']> {
  const left = results.flatMap(({ id, left: attributes }) => attributes.map((one) => ({ employeeId: id!, ...one })))
  const changed = left.filter(({ reason }) => CHANGED.has(reason)).slice(0, maxLookedInto)
  const wanted = changed.map(({ employeeId, attribute, reason }) => ({
    employeeId,
    attribute: reason === 'changed_meanwhile' ? attribute : null,
  }))
  const found = await findLaterChanges(db, companyId, wanted, { after, upTo: Number.MAX_SAFE_INTEGER })
  const changes = new Map(changed.map(({ employeeId, attribute }, at) => [`${employeeId} ${attribute}`, found[at]]))
  const explain = (id: string | null, one: LeftAttribute): StayingAttribute => {
    const change = changes.get(`${id} ${one.attribute}`)
    const by = change && { log_id: change.callId, position: change.position, recorded_at: change.recordedAt }
    return { ...one, changed_by: by ?? null }
  }
  return results.map((result) => ({ ...result, left: result.left.map((one) => explain(result.id, one)) }))
}

const CHANGED: ReadonlySet<LeftAttribute['reason']> = new Set(['changed_meanwhile', 'employee_changed'])
