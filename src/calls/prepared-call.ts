import type { BlamedRecord, CallContext, CallDecision } from '../domain/calls/api-call.ts'
import { refuseCall } from '../domain/calls/api-call.ts'
import type { EmployeeDirectory } from '../domain/calls/call-draft.ts'
import type { Problem } from '../domain/errors.ts'
import type { Operation } from '../domain/events.ts'
import type { Touches } from '../ledger/append/company-state.ts'
import type { Idempotency } from '../ledger/append/idempotency-keys.ts'

/** Who calls, and which request it is. */
export interface Caller {
  companyId: string
  apiId: string
  /** SHA-256 of the secret that was presented, in hexadecimal. */
  secretHash: string
  requestId: string
  /** `performance.now()` when the request arrived. */
  arrivedAt: number
  idempotency: Idempotency | null
  /** Bytes of the body. */
  bodyBytes: number
  /** Answer what would happen, and store nothing but the use of the key. */
  validateOnly: boolean
  /** W3C `traceparent` of the request; null when nobody collects its trace. */
  traceparent: string | null
}

/** A call after all the work that needs no lock. */
export interface PreparedCall {
  operation: Operation
  /** Number of records, for the counts of a call that is refused as a whole. */
  count: number
  /** Set when the call is refused as a whole: its records are neither read nor stored. */
  isRefused?: true
  touches: Touches
  /** The record that a refusal names: that of a single update. */
  blamed?: BlamedRecord
  decide(directory: EmployeeDirectory, context: CallContext): CallDecision
  /** Builds the answer of a successful call. `logId` is null when the call only validates. */
  present(decision: CallDecision, logId: string | null): CallAnswer
}

/** The answer to the client. */
export interface CallAnswer {
  status: number
  headers: Record<string, string>
  /** JSON: a value, or its text. */
  body: unknown
}

const NOBODY = { employeeIds: [], emails: [], externalIds: [] }
const NO_TOUCHES: Touches = { all: NOBODY, remanaged: NOBODY, managers: NOBODY, taken: NOBODY }

/** A call that is refused as a whole, whatever the company's state. */
export function refusedCall(
  operation: Operation,
  refusal: Problem,
  count: number,
  blamed?: BlamedRecord,
): PreparedCall {
  return {
    operation,
    count,
    isRefused: true,
    touches: NO_TOUCHES,
    ...(blamed ? { blamed } : {}),
    decide: (_, context) => refuseCall(refusal, count, context, blamed),
    present: () => {
      throw new Error('a refused call has no answer of success')
    },
  }
}
