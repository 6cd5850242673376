import { hash, randomFillSync } from 'node:crypto'
import type { EventType, NewEvent, RecordedEvent } from '../../domain/events.ts'
import { SCHEMA_VERSIONS } from '../../domain/events.ts'
import { canonicalJson } from './canonical-json.ts'
import { leafHash } from './merkle.ts'

export const SALT_BYTES = 16

/**
 * The part of an event that is hashed into the ledger and never erased. It contains no personal data. Its members are
 * in the order of RFC 8785, so that `JSON.stringify` produces the canonical bytes.
 */
export interface Envelope {
  actor: string
  call_id: string | null
  company_id: string
  /** SHA-256(salt ‖ data) in lower-case hexadecimal. */
  data_hash: string
  index: number | null
  position: number
  recorded_at: string
  schema_version: number
  stream: string
  type: EventType
  version: number
}

/** The place of an event in its company's ledger. */
export interface Placement {
  companyId: string
  callId: string | null
  actor: string
  position: number
  recordedAt: string
}

/** An event as stored: the exact texts that were hashed as UTF-8, and the results. */
export interface SealedEvent {
  envelope: string
  data: string
  salt: Buffer
  leaf: Buffer
}

/** Encodes an event: canonical data, salt, envelope and leaf hash. */
export function sealEvent(event: NewEvent, at: Placement): SealedEvent {
  const data = canonicalJson(event.data)
  const salted = prependSalt(data)
  const envelope: Envelope = {
    actor: at.actor,
    call_id: at.callId,
    company_id: at.companyId,
    data_hash: hash('sha256', salted, 'hex'),
    index: event.index,
    position: at.position,
    recorded_at: at.recordedAt,
    schema_version: SCHEMA_VERSIONS[event.type],
    stream: event.stream,
    type: event.type,
    version: event.version,
  }
  const text = JSON.stringify(envelope)
  return { envelope: text, data, salt: salted.subarray(0, SALT_BYTES), leaf: leafHash(text) }
}

/** Returns a buffer with a fresh salt followed by the data, ready to be hashed. */
function prependSalt(data: string): Buffer {
  const salted = Buffer.allocUnsafe(SALT_BYTES + Buffer.byteLength(data))
  if (nextSalt === salts.length) {
    randomFillSync(salts)
    nextSalt = 0
  }
  salts.copy(salted, 0, nextSalt, nextSalt + SALT_BYTES)
  // Each salt is used once; clear it here.
  salts.fill(0, nextSalt, nextSalt + SALT_BYTES)
  nextSalt += SALT_BYTES
  salted.write(data, SALT_BYTES, 'utf8')
  return salted
}

// Salts are drawn in batches, because a call for random bytes costs as much as hashing an event.
const salts = Buffer.alloc(256 * SALT_BYTES)
let nextSalt = salts.length

/** A stored event that this version of the program cannot read. It stops a projection and is never skipped. */
export class UnreadableEventError extends Error {
  override name = 'UnreadableEventError'
}

/** Decodes a stored event. Throws UnreadableEventError for an unknown type or schema version. */
export function readEvent(stored: { envelope: string; data: string | null }): RecordedEvent {
  const { data_hash: _, company_id: __, ...event } = JSON.parse(stored.envelope) as Envelope
  const known = Object.hasOwn(SCHEMA_VERSIONS, event.type) ? SCHEMA_VERSIONS[event.type] : undefined
  if (known === undefined) {
    throw new UnreadableEventError(`the event at position ${event.position} is of the unknown type ${event.type}`)
  }
  if (event.schema_version !== known) {
    const version = `schema version ${event.schema_version} of ${event.type}`
    throw new UnreadableEventError(`the event at position ${event.position} has the unknown ${version}`)
  }
  return { ...event, data: stored.data === null ? null : JSON.parse(stored.data) } as RecordedEvent
}
