/** An event as a proof needs it: the exact texts whose UTF-8 bytes were hashed; data and salt null once erased. */
export interface ProvableEvent {
  envelope: string
  data: string | null
  salt: Buffer | null
}

/**
 * A line of the proof format, with its line feed: `{envelope, data, salt}` in this order, written as `JSON.stringify`
 * does, the salt in lower-case hexadecimal. A ledger has exactly one export, byte for byte.
 */
export function proofLine({ envelope, data, salt }: ProvableEvent): string {
  return `${JSON.stringify({ envelope, data, salt: salt?.toString('hex') ?? null })}\n`
}
