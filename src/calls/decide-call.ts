import type { CallContext, CallDecision } from '../domain/calls/api-call.ts'
import { refuseCall } from '../domain/calls/api-call.ts'
import type { ApiKey, KeyUsage } from '../domain/company.ts'
import { requestsInWindow, useKey } from '../domain/company.ts'
import type { Problem } from '../domain/errors.ts'
import { problem, problemDocument } from '../domain/errors.ts'
import type { DecisionState, LedgerDecision } from '../ledger/append/ledger-call.ts'
import type { BoundKey } from '../ledger/append/idempotency-keys.ts'
import { isSameRequest } from '../ledger/append/idempotency-keys.ts'
import { checkKeyStanding } from '../accounts/api-keys/key-standing.ts'
import { rateLimitHeaders, secondsToReset } from './rate-limit-headers.ts'
import type { CallAnswer, Caller, PreparedCall } from './prepared-call.ts'

/**
 * Decides a writing call under the lock of its company: first whether its key is still valid, then whether it is a
 * retry, then whether the quota allows it, and only then the request itself. The answer is null when the secret is no
 * longer valid: such a call belongs to no company and stores nothing.
 */
export function decideCall(
  caller: Caller,
  call: PreparedCall,
  callId: string,
  state: DecisionState,
): LedgerDecision<CallAnswer | null> {
  const { key, usage, bound } = state
  const standing = checkKeyStanding(key, caller.secretHash, Date.parse(state.now))
  if (!key || !usage || standing === 'refused') return { ...NOTHING, usage: null, answer: null }
  const context = contextOf(caller, call, callId, key, state.now)
  const settle = (decision: CallDecision) => settled(caller, call, context, decision, key, usage)
  const refuse = (refusal: Problem) => settle(refuseCall(refusal, call.count, context, call.blamed))

  if (standing === 'disabled') return refuse(problem('key_disabled', 'The API key is disabled'))
  const isReused = isOtherRequest(bound, caller.idempotency)
  if (bound && !isReused) {
    return { ...NOTHING, usage: used(key, usage, state.now, 0), answer: replayed(bound, caller, key, usage, state.now) }
  }
  if (requestsInWindow(usage, key.refreshPeriod, Date.parse(state.now)) >= key.quotaLimit)
    return refuse(quotaExceeded(key))
  return isReused ? refuse(REUSED) : settle(call.decide(state.employees, context))
}

/** Whether an idempotency key is bound to another request. Unknown, so false, once the answer has expired. */
function isOtherRequest(bound: BoundKey | undefined, idempotency: Caller['idempotency']): boolean {
  return Boolean(bound?.kept && idempotency && !isSameRequest(bound.kept, idempotency.requestHash))
}

/**
 * Whether a request may name people who appear neither in its events nor in its answer: a refused call does not store
 * its valid records, and a manager may be named by e-mail address or external id.
 */
function mayNameAnyone({ touches: { managers } }: PreparedCall, refusal: Problem | null): boolean {
  return refusal !== null || managers.emails.length > 0 || managers.externalIds.length > 0
}

const NOTHING = { events: [], employees: [], binds: null }

const REUSED = problem('idempotency_key_reused', 'This Idempotency-Key was already used with a different request')

/** The problem of a call over the quota, the same for reading and writing calls. */
export function quotaExceeded({ quotaLimit, refreshPeriod }: ApiKey): Problem {
  return problem('quota_exceeded', `The quota of ${quotaLimit} requests (${refreshPeriod}) is used up`)
}

function contextOf(caller: Caller, call: PreparedCall, callId: string, key: ApiKey, now: string): CallContext {
  const durationMs = Math.round(performance.now() - caller.arrivedAt)
  return {
    callId,
    durationMs,
    now,
    operation: call.operation,
    requestId: caller.requestId,
    key: { id: key.id, name: key.name },
    // Derived from the database's clock, because the clock of this process may be wrong.
    requestedAt: new Date(Date.parse(now) - durationMs).toISOString(),
  }
}

function settled(
  caller: Caller,
  call: PreparedCall,
  context: CallContext,
  decision: CallDecision,
  key: ApiKey,
  usage: KeyUsage,
): LedgerDecision<CallAnswer> {
  const { problem: refusal, outcomes, events } = decision
  const after = used(key, usage, context.now, refusal && isFree(refusal) ? 0 : 1)
  const logId = caller.validateOnly ? null : context.callId
  const answer = refusal
    ? refusalAnswer(refusal, caller.requestId, logId, key, Date.parse(context.now))
    : call.present(decision, logId)
  const employees = refusal
    ? []
    : outcomes.filter(({ result }) => result !== 'no_updates').map(({ employee }) => employee)
  const isBinding = caller.idempotency !== null && (!refusal || isDecided(refusal))
  const binds = isBinding
    ? { ...answer, body: JSON.stringify(answer.body), mayNameAnyone: mayNameAnyone(call, refusal) }
    : null
  const headers = { ...answer.headers, ...rateLimitHeaders(key, after, Date.parse(context.now)) }
  if (caller.validateOnly) return { ...NOTHING, usage: after, answer: { ...answer, headers } }
  return { events, employees, usage: after, binds, answer: { ...answer, headers } }
}

function used(key: ApiKey, usage: KeyUsage, now: string, cost: number): KeyUsage {
  return useKey(usage, key.refreshPeriod, Date.parse(now), cost)
}

/** 401, 403, 429 and 5xx cost nothing. */
function isFree({ status }: Problem): boolean {
  return status === 403 || status === 429 || status >= 500
}

/** Whether a refusal binds the idempotency key: it does if the same call would be refused again. */
function isDecided({ status, code }: Problem): boolean {
  if (status === 404 || status === 412) return true
  return code === 'already_exists' || code === 'inactive_employee_exists' || code === 'validation_failed'
}

function refusalAnswer(
  refusal: Problem,
  requestId: string,
  logId: string | null,
  key: ApiKey,
  nowMs: number,
): CallAnswer {
  const headers: Record<string, string> =
    refusal.code === 'quota_exceeded' ? { 'retry-after': String(secondsToReset(key, nowMs)) } : {}
  return { status: refusal.status, headers, body: problemDocument(refusal, requestId, logId ?? undefined) }
}

/** The stored answer; once that has expired, a problem with the id of the original call. */
function replayed(bound: BoundKey, caller: Caller, key: ApiKey, usage: KeyUsage, now: string): CallAnswer {
  const limits = rateLimitHeaders(key, usage, Date.parse(now))
  const { kept, position, callId } = bound
  if (!kept) {
    const expired = problem(
      'idempotency_response_expired',
      'The call was carried out earlier; its response is no longer stored',
    )
    return { status: expired.status, headers: limits, body: problemDocument(expired, caller.requestId, callId) }
  }
  const { answer } = kept
  const headers = {
    ...answer.headers,
    ...limits,
    'x-ledger-position': String(position),
    'idempotency-replayed': 'true',
  }
  return { status: answer.status, headers, body: answer.body }
}
