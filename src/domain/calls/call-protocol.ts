import type { KeyScope } from '../accounts/api-key.ts'
import type { CallSource } from '../call-sources.ts'
import type { Problem } from '../errors.ts'
import type { CallContext, CallDecision } from './call-decision.ts'
import type { RefusalWording } from './refusal-wording.ts'

/** The answer to the client. */
export interface CallAnswer {
  status: number
  headers: Record<string, string>
  /** A value of JSON, or its text in UTF-8. */
  body: unknown
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
