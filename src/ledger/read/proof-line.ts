/** An event as a proof needs it: the exact texts that were hashed. Data and salt are null once erased. */
export interface ProvableEvent {
  envelope: string
  data: string | null
  salt: Buffer | null
}

/**
 * A line of the proof format, including its line feed: `{envelope, data, salt}` in this order, as written by
 * `JSON.stringify`, with the salt in lower-case hexadecimal. This makes the export of a ledger unique, byte for byte.
 */
export function formatProofLine({ envelope, data, salt }: ProvableEvent): string {
  return `${JSON.stringify({ envelope, data, salt: salt?.toString('hex') ?? null })}\n`
}
