import type { KeyScope } from '../accounts/api-key.ts'
import type { CallSource } from '../call-sources.ts'
import type { Problem, ProblemCode } from '../errors.ts'
import type { CallContext, CallDecision } from './call-decision.ts'

/** The answer to the client. */
export interface CallAnswer {
  status: number
  headers: Record<string, string>
  /** A value of JSON, or its text in UTF-8. */
  body: unknown
}

/** How a protocol words refusals: as they are stored, they are answered. */
export interface RefusalWording {
  /** Its names for fields. Absent ones are those of the attributes. */
  fieldNames?: Readonly<Record<string, string>>
  /** The HTTP statuses of problems that it answers with others. */
  statuses?: Partial<Readonly<Record<ProblemCode, number>>>
  /** Whether its calls have one record: then what is wrong with the record says why the call is refused. */
  hasOneRecord?: boolean
}

/** Where a writing call comes from, and how it is answered. The answer is made with the decision, and stored with it. */
export interface CallProtocol extends RefusalWording {
  source: CallSource
  /** What an API key needs to make the call. */
  scope: KeyScope
  /** Answers a call that succeeded. `logId` is null if the call only validates. */
  answer(
    context: Pick<CallContext, 'operation' | 'isAllOrNone'>,
    decision: CallDecision,
    logId: string | null,
  ): CallAnswer
  /** Answers a call that was refused. `logId` is null if the log has no entry of it. */
  refuse(refusal: Problem, requestId: string, logId: string | null): CallAnswer
}
