import { timingSafeEqual } from 'node:crypto'
import type { BlamedRecord, CallContext, CallDecision, EmployeeDirectory } from '../domain/api-call.ts'
import { refuseCall } from '../domain/api-call.ts'
import { keyStanding, useKey } from '../domain/company.ts'
import type { ProblemDocument } from '../domain/errors.ts'
import { problem, problemDocument } from '../domain/errors.ts'
import type { Operation } from '../domain/events.ts'
import type { IdPrefix } from '../domain/ids.ts'
import type { DecisionState, LedgerDecision } from '../ledger/commit.ts'
import type { Touches } from '../ledger/company-state.ts'
import type { Lanes } from '../ledger/lanes.ts'
import { FaultyCallError } from '../ledger/lanes.ts'

/** What the commands work with. */
export interface CommandServices {
  lanes: Lanes
  newId(prefix: IdPrefix): string
  /** How many records a call may have. */
  maxRecords: number
}

/** Who calls, and which request it is. */
export interface Caller {
  companyId: string
  apiId: string
  /** SHA-256 of the secret that was presented, in hexadecimal. */
  secretHash: string
  requestId: string
  /** `performance.now()` when the request arrived. */
  arrivedAt: number
}

/** A call after everything that needs no lock. */
export interface PreparedCall {
  operation: Operation
  /** How many records it has, for its counts when it is refused as a whole. */
  count: number
  touches: Touches
  /** The record that a refusal blames: that of a single update. */
  blamed?: BlamedRecord
  decide(directory: EmployeeDirectory, context: CallContext): CallDecision
  /** The answer of a successful call. */
  present(decision: CallDecision, logId: string): CallAnswer
}

/** What the client is answered. */
export interface CallAnswer {
  status: number
  headers: Record<string, string>
  body: unknown
}

/** The secret turned out not to be good (any more) when the call was decided: nothing was stored. */
export class RefusedCredentialsError extends Error {
  override name = 'RefusedCredentialsError'
}

export const NO_TOUCHES: Touches = { employeeIds: [], emails: [], externalIds: [] }

/**
 * Runs one writing call: decides it under the lock of its company, appends its events and gives the answer once they
 * are durable. Throws RefusedCredentialsError, or UnavailableError when the ledger cannot be written.
 */
export async function runApiCall(services: CommandServices, caller: Caller, call: PreparedCall): Promise<CallAnswer> {
  try {
    return await append(services, caller, call)
  } catch (error) {
    if (!(error instanceof FaultyCallError)) throw error
    const { operation, count, blamed } = call
    const fault = problem('internal_error', 'the call could not be carried out; nothing was applied')
    return append(services, caller, refusedCall(operation, fault, count, blamed))
  }
}

/** A call that is refused as a whole, whatever the company's state. */
export function refusedCall(
  operation: Operation,
  refusal: CallDecision['problem'] & object,
  count: number,
  blamed?: BlamedRecord,
): PreparedCall {
  return {
    operation,
    count,
    touches: NO_TOUCHES,
    ...(blamed ? { blamed } : {}),
    decide: (_, context) => refuseCall(refusal, count, context, blamed),
    present: () => {
      throw new Error('a refused call has no answer of success')
    },
  }
}

async function append(services: CommandServices, caller: Caller, call: PreparedCall): Promise<CallAnswer> {
  const callId = services.newId('log')
  const { companyId, apiId } = caller
  const decide = (state: DecisionState) => decideFor(caller, call, callId, state)
  const { answer, position } = await services.lanes.append({
    ...{ callId, companyId, apiId, decide },
    weight: call.count,
    touches: call.touches,
  })
  if (!answer) throw new RefusedCredentialsError('the key was revoked or its secret replaced meanwhile')
  return { ...answer, headers: { ...answer.headers, 'x-ledger-position': String(position) } }
}

function decideFor(
  caller: Caller,
  call: PreparedCall,
  callId: string,
  { key, usage, employees, now }: DecisionState,
): LedgerDecision<CallAnswer | null> {
  const standing = key ? keyStanding(key, sameHash(key.secretHash, caller.secretHash)) : 'refused'
  if (!key || !usage || standing === 'refused') return { events: [], employees: [], usage: null, answer: null }
  const durationMs = Math.round(performance.now() - caller.arrivedAt)
  const context: CallContext = {
    ...{ callId, durationMs, now },
    operation: call.operation,
    requestId: caller.requestId,
    key: { id: key.id, name: key.name },
    requestedAt: new Date(Date.parse(now) - durationMs).toISOString(),
  }
  const decision = standing === 'disabled' ? refuseDisabled(call, context) : call.decide(employees, context)
  const isFree = decision.problem !== null && (decision.problem.status === 403 || decision.problem.status >= 500)
  return {
    events: decision.events,
    employees: decision.problem ? [] : decision.outcomes.filter(changesEmployee).map(({ employee }) => employee),
    usage: useKey(usage, key.refreshPeriod, Date.parse(now), isFree ? 0 : 1),
    answer: decision.problem ? refusalAnswer(decision, caller.requestId, callId) : call.present(decision, callId),
  }
}

function refuseDisabled({ count, blamed }: PreparedCall, context: CallContext): CallDecision {
  return refuseCall(problem('key_disabled', 'the API key is disabled'), count, context, blamed)
}

function changesEmployee({ result }: { result: string | null }): boolean {
  return result !== 'no_updates'
}

function refusalAnswer(decision: CallDecision, requestId: string, logId: string): CallAnswer {
  const body: ProblemDocument = problemDocument(decision.problem!, requestId, logId)
  return { status: body.status, headers: {}, body }
}

function sameHash(stored: string, presented: string): boolean {
  const [a, b] = [Buffer.from(stored, 'hex'), Buffer.from(presented, 'hex')]
  return a.length === b.length && timingSafeEqual(a, b)
}
