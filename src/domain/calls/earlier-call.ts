/** A call's idempotency key and the request that carries it. */
export interface Idempotency {
  /** HMAC-SHA-256 under the company's secret, in hexadecimal. */
  keyHash: string
  /** SHA-256 of the request, in hexadecimal. It must not be stored: with it, what was sent can be guessed. */
  requestHash: string
}

/** An answer as it is kept for retries; the header names are in lower case. */
export interface StoredAnswer {
  status: number
  headers: Record<string, string>
  /** JSON in UTF-8. */
  body: Buffer
}

/** The call that a call's idempotency key is bound to already. */
export interface EarlierCall {
  callId: string
  /** The position of its last event. */
  position: number
  /** Null once it has expired or was erased. */
  answer: StoredAnswer | null
  /** Whether it was the same request. Unknown, so true, without its answer. */
  isSameRequest: boolean
}

/** An answer to bind an idempotency key to. */
export interface Binding extends StoredAnswer {
  /** Whether the request may name people whom neither the call's events nor the answer show: any erasure forgets it. */
  mayNameAnyone: boolean
}
