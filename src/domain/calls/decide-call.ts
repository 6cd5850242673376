import {
  isSecretValid,
  type ApiKey,
  useKey,
  rateLimitHeaders,
  secondsToReset,
  type KeyUsage,
} from '../accounts/api-key.ts'
import { limitPeople } from '../accounts/key-limits.ts'
import type { Role } from '../accounts/roles.ts'
import type { Employee } from '../employees/employee.ts'
import { findFailedCondition } from '../employees/entity-tag.ts'
import { ADMIN_ONLY, problem, type Problem } from '../errors.ts'
import type { NewEvent } from '../events.ts'
import { isId } from '../ids.ts'
import { encodeJson, mapInPieces, pauseAfter, type Pieces } from '../pieces.ts'
import { answerRetry } from './answer-call.ts'
import type { ReadRecord } from './call-records.ts'
import type { KeyCaller, UserCaller } from './callers.ts'
import type { Command, UpdateOneCommand, WriteCall, Binding, EarlierCall } from './commands.ts'
import type { CallContext, CallDecision, CallAnswer, EmployeeDirectory } from './call-decision.ts'
import { refuseCall } from './close-call.ts'
import { decideFitted } from './decide-fitted.ts'
import { decideRecords } from './decide-records.ts'
import { accessRefusal, quotaRefusal, refuseCondition } from './key-refusals.ts'
import type { RejectedBody } from './rejected-body.ts'
import { keepWritable, type WithWritable, writeValid } from './writable-fields.ts'

/** What a call can see when it is decided, under the lock of its company's head. */
interface CallState {
  employees: EmployeeDirectory
  /** The key as it is now; undefined when it does not exist, or a user makes the call. */
  key: ApiKey | undefined
  usage: KeyUsage | undefined
  /** The role of the user who makes the call; undefined when the user was removed, or a key makes the call. */
  role: Role | undefined
  /** How many people of the company are active; null until `needsActive` says that it is needed. */
  active: number | null
  /** The call that the idempotency key is bound to already. */
  earlier: EarlierCall | undefined
  /** The time that the events will have, RFC 3339 UTC. */
  now: string
  /** Milliseconds since the request arrived. */
  durationMs: number
  /** The country of the company; null if it has none, or no record has a local phone number. */
  country: string | null
}

/** Everything that a call changes, and its answer. A call without events leaves no trace but its usage. */
export interface DecidedCall {
  events: NewEvent[]
  /** The final states of the employees that the events change. */
  employees: Employee[]
  /** The employees whose states showed that a record changes nothing, with what it sets. */
  unchanged: CallDecision['unchanged']
  /** The key's usage afterwards; null leaves it. */
  usage: KeyUsage | null
  /** What the call's idempotency key is bound to from now on; null binds nothing. */
  binds: Binding | null
  /** Null when the secret is no longer valid: such a call belongs to no company. */
  answer: CallAnswer | null
  /** Of a call that only validates, the events that it would append, and those of the valid records of a refused call. */
  preview?: NewEvent[]
  /** Nothing is decided before the active people are counted. */
  needsActive?: true
  /** The body that could not be read, to be kept beside the events. */
  rejectedBody?: RejectedBody
  /** The valid records of a failed call, in parts (see `writeValid`), to be kept in the same way. */
  validRecords?: string[]
}

/** Decides a writing call under the lock of its company. */
export function* decideCall(call: WriteCall, state: CallState): Pieces<DecidedCall> {
  const { caller } = call
  return 'apiId' in caller ? yield* decideCallOfKey(call, caller, state) : yield* decideCallOfUser(call, caller, state)
}

/**
 * Decides first whether the key is still valid and allows the call, then whether it is a retry, then whether the quota
 * allows it, then the command itself, and at last whether the key's limits allow what it would do.
 */
function* decideCallOfKey(call: WriteCall, { secretHash }: KeyCaller, state: CallState): Pieces<DecidedCall> {
  const { key, usage, earlier, now, active } = state
  const nowMs = Date.parse(now)
  if (!usage || !isSecretValid(key, secretHash, nowMs)) return { ...NOTHING, usage: null, answer: null }
  const context = { ...contextOf(call, state), key: { id: key.id, name: key.name }, upload: null }
  const settle = (decision: CallDecision, people = usage.people) =>
    settleCall(call, context, decision, { key, usage: { ...usage, people } })
  const { count, offending } = call.command
  const refuse = (refusal: Problem) => settle(refuseCall(refusal, count, context, offending))

  // What is refused at no cost to the key keeps nothing of the content, or a key could fill the ledger for free.
  const refuseFree = (refusal: Problem) =>
    settle(refuseCall(refusal, count, context, offending && { ...offending, record: null }))

  const noAccess = accessRefusal(key, call.sentFrom, call.protocol.scope)
  if (noAccess) return yield* refuseFree(noAccess)
  if (earlier?.isSameRequest) {
    const { headers, ...answer } = answerRetry(earlier, call.protocol, call.requestId)
    const limits = rateLimitHeaders(key, usage, nowMs)
    const after = useKey(usage, key.refreshPeriod, nowMs, 0)
    return { ...NOTHING, usage: after, answer: { ...answer, headers: { ...headers, ...limits } } }
  }
  const noQuota = quotaRefusal(key, usage, nowMs)
  if (noQuota) return yield* refuseFree(noQuota)
  if (earlier) return yield* refuse(IDEMPOTENCY_KEY_REUSED)
  const writable = keepWritable(key.writableFields, call.protocol.fieldNames)
  const decision = yield* decideCommand(call.command, state.employees, context, writable)
  if (decision.problem) return yield* settle(decision)
  const { callId } = context
  const limiting = limitPeople(key, usage.people, { callId, counts: decision.counts }, active, now)
  if (limiting.needsActive) return { ...NOTHING, usage: null, answer: null, needsActive: true }
  const limited = limiting.refusal ? refuseCall(limiting.refusal, count, context, offending) : decision
  // What is only validated is not done.
  return yield* settle(limited, call.validateOnly ? usage.people : limiting.use)
}

/** Decides the call of a user: first whether they are still an administrator, then as for a key. */
function* decideCallOfUser(
  call: WriteCall,
  caller: UserCaller,
  { role, earlier, ...state }: CallState,
): Pieces<DecidedCall> {
  const { protocol, requestId } = call
  if (!role) return { ...NOTHING, usage: null, answer: null }
  if (role !== 'admin') return { ...NOTHING, usage: null, answer: protocol.refuse(ADMIN_ONLY, requestId, null) }
  if (earlier?.isSameRequest) return { ...NOTHING, usage: null, answer: answerRetry(earlier, protocol, requestId) }
  const context = { ...contextOf(call, state), key: null, upload: caller.upload }
  const decision = earlier
    ? refuseCall(IDEMPOTENCY_KEY_REUSED, call.command.count, context, call.command.offending)
    : yield* decideCommand(call.command, state.employees, context, null)
  return yield* settleCall(call, context, decision, null)
}

const NOTHING = { events: [], employees: [], unchanged: [], binds: null }

const IDEMPOTENCY_KEY_REUSED = problem(
  'idempotency_key_reused',
  'This Idempotency-Key was already used with a different request',
)

function contextOf(
  { callId, requestId, command, isAllOrNone, linksByEmail, clearsEndDates, protocol }: WriteCall,
  { now, durationMs, country }: Pick<CallState, 'now' | 'durationMs' | 'country'>,
): Omit<CallContext, 'key' | 'upload'> {
  return {
    callId,
    durationMs,
    isAllOrNone,
    linksByEmail,
    clearsEndDates,
    now,
    country,
    operation: command.operation,
    undoes: command.undoes ?? null,
    source: protocol.source,
    wording: protocol,
    requestId,
    // Derived from the database's clock, because the clock of this process may be wrong.
    requestedAt: new Date(Date.parse(now) - durationMs).toISOString(),
  }
}

function* decideCommand(
  command: Command,
  employees: EmployeeDirectory,
  context: CallContext,
  writable: WithWritable | null,
): Pieces<CallDecision> {
  if ('refusal' in command) {
    const refused = refuseCall(command.refusal, command.count, context, command.offending)
    return command.body ? { ...refused, rejectedBody: command.body } : refused
  }
  if ('fit' in command) return yield* decideFitted(command, employees, context, writable)
  const { records, notes } = yield* narrow(command.records, employees, writable)
  const told = { ...context, notes }
  return 'preconditions' in command
    ? yield* decideUpdateOne({ ...command, records: [records[0]!] }, employees, told)
    : yield* decideRecords(records, command.newIds, employees, told)
}

/** Takes from records what the key may not write. What is known to change nothing is known by the whole record. */
function* narrow(records: ReadRecord[], employees: EmployeeDirectory, writable: WithWritable | null) {
  if (!writable) return { records, notes: [] }
  const narrowed = yield* mapInPieces(records, (record) =>
    employees.unchangedBy(record) ? { record, notes: [] } : writable(record),
  )
  return { records: narrowed.map(({ record }) => record), notes: narrowed.flatMap(({ notes }) => notes) }
}

/** Evaluates preconditions before the content (RFC 9110 section 13.2.1). */
function* decideUpdateOne(
  command: UpdateOneCommand,
  employees: EmployeeDirectory,
  context: CallContext,
): Pieces<CallDecision> {
  const { records, offending, preconditions } = command
  const employee = employees.byId(offending.locator.id)
  if (!employee) return refuseCall(refuseUnknown(offending.locator.id), 1, context, offending)
  const failed = findFailedCondition(preconditions, employee.version)
  if (failed) return refuseCall(refuseCondition(failed, preconditions), 1, context, offending)
  return yield* decideRecords(records, null, employees, context)
}

/** The refusal of an id in a path that nobody has. */
export function refuseUnknown(id: string): Problem {
  const by = id.includes('@') ? 'email' : 'external_id'
  const hint = isId('emp', id) ? '' : `. The path takes an id (emp_…): find it with GET /v1/employees?${by}=`
  return problem('employee_not_found', `No such employee exists${hint}`)
}

/** Adds to a decision what it costs the key, if one makes the call, the answer, and what a retry will find. */
function* settleCall(
  call: WriteCall,
  context: CallContext,
  decision: CallDecision,
  charged: { key: ApiKey; usage: KeyUsage } | null,
): Pieces<DecidedCall> {
  const { problem: refusal, outcomes, events, rejectedBody } = decision
  const nowMs = Date.parse(context.now)
  const logId = call.validateOnly ? null : context.callId
  const { protocol, requestId } = call
  yield* pauseAfter(outcomes)
  const answer = refusal ? protocol.refuse(refusal, requestId, logId) : protocol.answer(context, decision, logId)
  yield* pauseAfter(outcomes)
  const { usage, headers } = charged ? charge(charged, refusal, nowMs) : { usage: null, headers: {} }
  const limited = { ...answer, headers: { ...answer.headers, ...headers } }
  if (call.validateOnly) return { ...NOTHING, usage, answer: limited, preview: [...events, ...decision.withheld] }
  const validRecords = call.keepsFailed ? yield* writeValid(decision.valid ?? []) : []
  const isBinding = call.idempotency !== null && (!refusal || wouldBeRefusedAgain(refusal))
  const kept = isBinding ? { ...answer, body: yield* encodeJson(answer.body as object) } : null
  return {
    events,
    employees: outcomes.flatMap(({ result, employee }) => (result === 'no_updates' ? [] : (employee ?? []))),
    unchanged: decision.unchanged,
    usage,
    binds: kept && { ...kept, mayNameAnyone: mayNameAnyone(call.command, decision) },
    answer: { ...limited, body: kept?.body ?? answer.body },
    ...(rejectedBody ? { rejectedBody } : {}),
    ...(validRecords.length > 0 ? { validRecords } : {}),
  }
}

/** Charges a call to its key. Returns the usage afterwards, and the headers that tell what remains. */
function charge({ key, usage }: { key: ApiKey; usage: KeyUsage }, refusal: Problem | null, nowMs: number) {
  const after = useKey(usage, key.refreshPeriod, nowMs, refusal && isFree(refusal) ? 0 : 1)
  const retryAfter = refusal?.code === 'quota_exceeded' ? { 'retry-after': String(secondsToReset(key, nowMs)) } : {}
  return { usage: after, headers: { ...retryAfter, ...rateLimitHeaders(key, after, nowMs) } }
}

/** 401, 403, 429 and 5xx cost nothing. */
function isFree({ status }: Problem) {
  return status === 403 || status === 429 || status >= 500
}

/** Whether the same call would be refused again: such a refusal binds the idempotency key. */
function wouldBeRefusedAgain({ status, code }: Problem) {
  if (status === 404 || status === 412) return true
  return code === 'already_exists' || code === 'inactive_employee_exists' || code === 'validation_failed'
}

/**
 * Whether a request may name people whom its answer does not show by their ids: a refused call does not store its valid
 * records, a refused record may name anybody, and a manager may be named by email address or external id.
 */
function mayNameAnyone({ touches: { managers } }: Command, { problem: refusal, refusals }: CallDecision) {
  return (
    refusal !== null ||
    refusals.length > 0 ||
    Object.values(managers).some((named) => named !== managers.employeeIds && named.length > 0)
  )
}
