import { hash, randomFillSync } from 'node:crypto'
import type { EventType, NewEvent, RecordedEvent } from '../../domain/events.ts'
import { SCHEMA_VERSIONS } from '../../domain/events.ts'
import { canonicalJson } from './canonical-json.ts'
import { leafHash } from './merkle.ts'

export const SALT_BYTES = 16

/**
 * The part of an event that is hashed into the ledger and never erased; it holds nothing personal.
 * Its members stand in the order of RFC 8785, so that `JSON.stringify` gives the canonical bytes.
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

/** Where an event comes to stand in its company's ledger. */
export interface Placement {
  companyId: string
  callId: string | null
  actor: string
  position: number
  recordedAt: string
}

/** An event as it is stored: the exact texts whose UTF-8 bytes were hashed, and their hashes. */
export interface SealedEvent {
  envelope: string
  data: string
  salt: Buffer
  leaf: Buffer
}

/** Gives an event its bytes: canonical data, salt, envelope, leaf hash. */
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

/** One buffer with fresh salt and the data behind it: what is hashed stands together from the start. */
function prependSalt(data: string): Buffer {
  const salted = Buffer.allocUnsafe(SALT_BYTES + Buffer.byteLength(data))
  if (nextSalt === salts.length) {
    randomFillSync(salts)
    nextSalt = 0
  }
  salts.copy(salted, 0, nextSalt, nextSalt + SALT_BYTES)
  // Each is used once, and is not kept where nobody needs it.
  salts.fill(0, nextSalt, nextSalt + SALT_BYTES)
  nextSalt += SALT_BYTES
  salted.write(data, SALT_BYTES, 'utf8')
  return salted
}

// To ask for random bytes takes 1.4 µs, however few they are: as much as all hashes of an event.
const salts = Buffer.alloc(256 * SALT_BYTES)
let nextSalt = salts.length

/** A stored event that this version of the program cannot read: it stops a projection and is never skipped. */
export class UnreadableEventError extends Error {
  override name = 'UnreadableEventError'
}

/** Reads a stored event and brings its data to today's schema version. Throws UnreadableEventError on what it does not know. */
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
