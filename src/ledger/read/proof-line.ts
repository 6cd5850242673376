import { deriveEnvelope, type StoredEvent } from '../integrity/codec.ts'

/**
 * A line of the proof format, including its line feed: `{envelope, data, salt}` in this order, as written by
 * `JSON.stringify`, with the salt in lower-case hexadecimal. This makes the export of a ledger unique, byte for byte.
 */
export function formatProofLine(event: StoredEvent): string {
  const { data, salt } = event
  return `${JSON.stringify({ envelope: deriveEnvelope(event), data, salt: salt?.toString('hex') ?? null })}\n`
}
