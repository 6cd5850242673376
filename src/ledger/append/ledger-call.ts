import type { ApiKey, KeyUsage } from '../../domain/company.ts'
import type { Employee } from '../../domain/employees/employee.ts'
import type { NewEvent } from '../../domain/events.ts'
import type { LoadedEmployees, Touches } from './company-state.ts'
import type { Binding, BoundKey, Idempotency } from './idempotency-keys.ts'

/** What a call can see when it is decided, under the lock of its company's head. */
export interface DecisionState {
  employees: LoadedEmployees
  /** The key as it is now; undefined when there is none such. */
  key: ApiKey | undefined
  usage: KeyUsage | undefined
  /** What the call's idempotency key is bound to already. */
  bound: BoundKey | undefined
  /** The time that its events will have, RFC 3339 UTC. */
  now: string
}

/** What deciding a call gives. A call that appends nothing leaves no trace but its usage. */
export interface LedgerDecision<Answer> {
  events: NewEvent[]
  /** The final states of the employees that the events change. */
  employees: Employee[]
  /** The key's usage afterwards; null leaves it. */
  usage: KeyUsage | null
  /** What the call's idempotency key is bound to from now on; null binds nothing. */
  binds: Binding | null
  answer: Answer
}

/** One call on its way into the ledger. */
export interface LedgerCall<Answer> {
  callId: string
  companyId: string
  apiId: string
  /** How many records it has. */
  records: number
  /** What it costs beside others that wait with it, in records of a usual size; at least 1. */
  weight: number
  touches: Touches
  idempotency: Idempotency | null
  /** W3C `traceparent` of who hands it in; null when nobody collects its trace. */
  traceparent?: string | null
  decide(state: DecisionState): LedgerDecision<Answer>
}

/** A call after its transaction has committed. */
export interface Committed<Answer> {
  answer: Answer
  /** The position of the call's last event; null when it appended none. */
  position: number | null
}
