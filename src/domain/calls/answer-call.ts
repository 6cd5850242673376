import { type Employee, type RecordResult, findFirstDay, WARNINGS, type WarningCode } from '#domain/employees/employee'
import { entityTag } from '#domain/employees/entity-tag'
import {
  type Problem,
  type RecordError,
  errorsOmitted,
  MAX_ANSWERED_ERRORS,
  problem,
  problemDocument,
} from '#domain/errors'
import { createsAll, isSingle, rulesOf, type Operation } from '#domain/operations'
import type { AppliedRecord, CallContext, CallDecision, CallAnswer, CallProtocol } from './call-decision.ts'
import type { EarlierCall } from './commands.ts'
import type { EmployeeStatus } from '#domain/attributes'
import type { CallCounts } from '#domain/events'
import { wordFault, type Fault } from '#domain/record-faults'
import type { LeftOutField } from './call-records.ts'

/** The answer to a call that succeeded. `logId` is null when the call only validates. */
export function answerSuccess(
  { operation, isAllOrNone, now }: Pick<CallContext, 'operation' | 'isAllOrNone' | 'now'>,
  decision: CallDecision,
  logId: string | null,
): CallAnswer {
  if (isSingle(operation)) return answerOne(decision, logId, now)
  if (!isAllOrNone) return answerPartly(operation, decision, logId, now)
  return createsAll(operation) ? answerCreate(operation, decision, logId) : answerMany(decision, logId, now)
}

function answerCreate(operation: Operation, decision: CallDecision, logId: string | null): CallAnswer {
  const employees = createdBy(decision, logId)
  if (logId === null) return { status: 200, headers: {}, body: { employees } }
  const headers = employees.length === 1 ? { location: `/v1/employees/${employees[0]!.id}` } : {}
  return { status: rulesOf(operation).status, headers, body: { log_id: logId, employees } }
}

function createdBy({ outcomes }: CallDecision, logId: string | null) {
  const employees = outcomes.map(({ employee }) => employee!)
  return logId === null ? withoutNewIds(employees) : employees
}

/** An id is given when an employee is created, not before. */
function withoutNewIds(employees: Employee[]) {
  const newIds = new Set<string | null>(employees.map(({ id }) => id))
  return employees.map((employee) => ({
    ...employee,
    id: null,
    manager_id: newIds.has(employee.manager_id) ? null : employee.manager_id,
  }))
}

function answerMany(decision: CallDecision, logId: string | null, now: string): CallAnswer {
  const { outcomes, counts } = decision
  const results = outcomes.map((outcome) => resultOf(outcome, logId))
  return {
    status: 200,
    headers: {},
    body: { ...idOfLog(logId), counts, warnings: findWarnings(outcomes, now), results },
  }
}

/** An id is given when an employee is created, not before. */
function resultOf({ index, id, status, result, changed }: AppliedRecord, logId: string | null) {
  const isNew = result === null && logId === null
  return { index, id: isNew ? null : id, status, result: result ?? 'created', changed }
}

/** The answer to a call that need not apply all of its records: the same for all operations, so that clients know it. */
function answerPartly(operation: Operation, decision: CallDecision, logId: string | null, now: string): CallAnswer {
  const { outcomes, refusals, counts } = decision
  const applied = outcomes.map((outcome) => ({ ...resultOf(outcome, logId), errors: NO_ERRORS }))
  let left = MAX_ANSWERED_ERRORS
  let omitted = 0
  const refused = refusals.map(({ index, id, status, errors: kept, errorCount }) => {
    const errors = kept.slice(0, left)
    left -= errors.length
    omitted += errorCount - errors.length
    return { index, id, status, result: 'failed' as const, changed: [], errors }
  })
  const results = [...applied, ...refused].toSorted((one, other) => one.index - other.index)
  const warnings = findWarnings(outcomes, now)
  const created = createsAll(operation) ? { employees: createdBy(decision, logId) } : {}
  const body = { ...idOfLog(logId), counts, warnings, results, ...errorsOmitted(omitted), ...created }
  return { status: 200, headers: {}, body }
}

const NO_ERRORS: readonly RecordError[] = []

function answerOne({ outcomes }: CallDecision, logId: string | null, now: string): CallAnswer {
  const { employee, result, changed } = outcomes[0]!
  const headers = logId === null ? {} : { etag: entityTag(employee!.version) }
  const warnings = findWarnings(outcomes, now)
  return { status: 200, headers, body: { ...idOfLog(logId), result, changed, warnings, employee } }
}

/** What the client may have overlooked in a call that succeeded. */
export interface CallWarning {
  code: WarningCode
  /** The number of records. */
  count: number
  message: string
}

/** Whether a record is one of those that a warning counts; `today` is the first day that has not passed. */
const WARNED: Readonly<Record<WarningCode, (outcome: AppliedRecord, today: string) => boolean>> = {
  // Somebody who comes back would stay inactive unseen if a client that hires them again sets no status.
  inactive_employees: ({ result, status, setsStatus }) => result !== null && status === 'inactive' && !setsStatus,
  // These two look at records that change something: whoever is unchanged by a large call need not be known.
  past_termination_dates: ({ employee, result, status }, today) => {
    const date = employee?.termination_date ?? null
    return result !== 'no_updates' && status === 'active' && date !== null && date < today
  },
  inactive_managers: ({ result, status, hasInactiveManager }) =>
    result !== 'no_updates' && status === 'active' && hasInactiveManager,
}

const WARNING_TEXTS: Readonly<Record<WarningCode, (count: number) => string>> = {
  inactive_employees: (count) => {
    const what =
      count === 1 ? '1 record names an inactive employee and sets' : `${count} records name inactive employees and set`
    return `${what} no status, so they stay inactive. To reactivate an employee, send "status": "active"`
  },
  past_termination_dates: (count) => {
    const who = count === 1 ? '1 employee is active, although the' : `${count} employees are active, although their`
    return `${who} termination_date has passed. To deactivate an employee, send "status": "inactive"`
  },
  inactive_managers: (count) =>
    count === 1
      ? '1 record gives an active employee a manager who is inactive'
      : `${count} records give active employees managers who are inactive`,
}

function findWarnings(outcomes: AppliedRecord[], now: string): CallWarning[] {
  const today = findFirstDay(now)
  return WARNINGS.flatMap((code) => {
    const count = outcomes.filter((outcome) => WARNED[code](outcome, today)).length
    return count === 0 ? [] : { code, count, message: WARNING_TEXTS[code](count) }
  })
}

function idOfLog(logId: string | null) {
  return logId === null ? {} : { log_id: logId }
}

/** The answer to a call that was refused. */
export function answerRefusal(refusal: Problem, requestId: string, logId: string | null): CallAnswer {
  return { status: refusal.status, headers: {}, body: problemDocument(refusal, requestId, logId ?? undefined) }
}

/** The answer to a retry: the stored one, or, once that has expired, a refusal with the id of the earlier call. */
export function answerRetry(
  { callId, position, answer }: EarlierCall,
  { refuse }: Pick<CallProtocol, 'refuse'>,
  requestId: string,
) {
  if (!answer) {
    const expired = problem(
      'idempotency_response_expired',
      'The call was carried out earlier; its response is no longer stored',
    )
    return refuse(expired, requestId, callId)
  }
  const replay = { 'x-ledger-position': String(position), 'idempotency-replayed': 'true' }
  return { status: answer.status, headers: { ...answer.headers, ...replay }, body: answer.body }
}

/** The calls of `/v1`. */
export const PUBLIC_API: CallProtocol = {
  source: 'Public API',
  scope: 'employees:write',
  answer: answerSuccess,
  refuse: answerRefusal,
}

/** The calls that the parts of an uploaded file become. */
export const FILE_UPLOAD: CallProtocol = { ...PUBLIC_API, source: 'File upload' }

/** The calls that administrators make in forms. */
export const BY_HAND: CallProtocol = { ...PUBLIC_API, source: 'By hand' }

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
function nameLeft({ path, fault }: LeftOutField): LeftAttribute {
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
