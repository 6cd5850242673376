import type { CallProtocol } from './call-protocol.ts'
import type { Caller } from './callers.ts'
import type { Idempotency } from './earlier-call.ts'
import type { Command } from './commands.ts'

/** A writing call on its way into the ledger: complete before any lock is taken. */
export interface WriteCall {
  callId: string
  companyId: string
  caller: Caller
  protocol: CallProtocol
  /** The client's address. */
  sentFrom: string
  /** The client's `User-Agent`; null if it sent none. */
  userAgent: string | null
  requestId: string
  /** `performance.now()` when the request arrived. */
  arrivedAt: number
  /** `performance.now()` until which it may wait for its turn. */
  waitsUntil: number
  idempotency: Idempotency | null
  /** Bytes of the body. */
  bodyBytes: number
  /** Whether one record that can't be applied keeps all others from being applied. */
  isAllOrNone: boolean
  /** Whether its valid records are kept if it fails because of others. */
  keepsFailed?: boolean
  /** Whether an upsert finds somebody without an external id by their email address: see `locateEmployee`. */
  linksByEmail: boolean
  /** Whether a new start date clears an end date before it that is stored, of a record that sends none. */
  clearsEndDates?: boolean | undefined
  /** Answer what would happen, and store nothing but the use of the key. */
  validateOnly: boolean
  /** W3C `traceparent` of the request; null when nobody collects its trace. */
  traceparent: string | null
  command: Command
}

/** A usual record has a few hundred bytes; a larger one counts as several. */
const BYTES_OF_RECORD = 1_024

/** The weight of a call in the queues, in records of a usual size: what it costs, whatever it claims. */
export function weightOf({ command, bodyBytes }: WriteCall): number {
  const [records, bytes] = 'refusal' in command ? [0, command.body?.text.length ?? 0] : [command.count, bodyBytes]
  return Math.max(1, records, Math.ceil(bytes / BYTES_OF_RECORD))
}

const MAX_SMALL_WEIGHT = 20

/** Whether a call is so small that it shares a transaction with those of other companies, which it must not delay. */
export function isSmall(call: WriteCall): boolean {
  return weightOf(call) <= MAX_SMALL_WEIGHT
}
