/** What of an event is stored and hashed: the exact texts, and the salt. Data and salt are null once erased. */
export interface ProvableEvent {
  envelope: string
  data: string | null
  salt: Buffer | null
}

/**
 * A line of the proof format: the very texts whose UTF-8 bytes were hashed, as JSON strings, and the salt in base64. A
 * verifier hashes them as they stand; nothing is parsed here, so what cannot be read can still be verified.
 */
export function proofLine({ envelope, data, salt }: ProvableEvent): string {
  return `${JSON.stringify({ envelope, data, salt: salt === null ? null : salt.toString('base64') })}\n`
}
