import type { EmployeeStatus } from '../attributes.ts'
import type { RecordResult } from '../employees/employee.ts'
import { MAX_ANSWERED_ERRORS } from '../errors.ts'
import type { CallCounts } from '../events.ts'
import { wordFault, type Fault } from '../record-faults.ts'
import { answerRefusal } from './answer-call.ts'
import type { CallDecision } from './call-decision.ts'
import type { CallProtocol } from './call-protocol.ts'
import type { LeftOutField } from './call-records.ts'

/** An attribute that an undo left as it is, and why. */
export interface LeftAttribute {
  /** Custom attributes are named `custom_attributes.KEY`. */
  attribute: string
  reason: Fault['kind']
  message: string
}

/** What an undo did to an employee. */
export interface UndoneRecord {
  index: number
  id: string | null
  status: EmployeeStatus | null
  result: RecordResult | 'failed'
  /** The attributes that got their old values. */
  changed: readonly string[]
  left: LeftAttribute[]
  errors: { pointer: string; code: string; message: string }[]
}

/** The answer to an undo. */
export interface UndoAnswer {
  /** Absent if it only validates. */
  log_id?: string
  counts: CallCounts
  /** The numbers of attributes that got their old values, and of those that stay, listed or not. */
  attributes: { restored: number; left: number }
  results: UndoneRecord[]
}

/** Names an attribute by its path in a record. */
export function nameLeft({ path, fault }: LeftOutField): LeftAttribute {
  return { attribute: path.join('.'), reason: fault.kind, message: wordFault(fault) }
}

/** The most attributes that stay, and errors, in an answer. */
export const MAX_ANSWERED_LEFT = 10_000

/** The calls that take back others. */
export const UNDO: CallProtocol = {
  source: 'Undo',
  // Only administrators make them.
  scope: 'employees:write',
  answer: (_context, decision, logId) => ({ status: 200, headers: {}, body: answerUndo(decision, logId) }),
  refuse: answerRefusal,
}

function answerUndo({ outcomes, refusals, counts }: CallDecision, logId: string | null): UndoAnswer {
  const attributes = { restored: 0, left: 0 }
  const applied = outcomes.map(({ index, id, status, result, changed, leftOut = [] }): UndoneRecord => {
    const left = leftOut.slice(0, Math.max(0, MAX_ANSWERED_LEFT - attributes.left)).map(nameLeft)
    attributes.restored += changed.length
    attributes.left += leftOut.length
    return { index, id, status, result: result ?? 'synced', changed, left, errors: [] }
  })
  let listed = 0
  const refused = refusals.map(({ index, id, status, errors: all }): UndoneRecord => {
    const errors = all.slice(0, MAX_ANSWERED_ERRORS - listed)
    listed += errors.length
    const named = errors.map(({ pointer, code, message }) => ({ pointer, code, message }))
    return { index, id, status, result: 'failed', changed: [], left: [], errors: named }
  })
  const results = [...applied, ...refused].toSorted((one, other) => one.index - other.index)
  return { ...(logId === null ? {} : { log_id: logId }), counts, attributes, results }
}
