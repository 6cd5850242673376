import { hash, randomBytes } from 'node:crypto'
import type { EventType, NewEvent, RecordedEvent } from '#domain/events'
import { closesCall, EVENT_TYPES, isEventType, isOfCall, schemaVersionOf } from '#domain/event-types'
import { fromUuid, type IdPrefix } from '#domain/ids'
import { parseJson } from '#domain/json'
import type { EventRow } from '../event-row.ts'
import { canonicalJson } from './canonical-json.ts'
import { leafHash } from './merkle.ts'

export const SALT_BYTES = 16

/** About what an event takes beside its data, in an export as in memory: limits in bytes count it for each event. */
export const HEADER_BYTES = 400

/** An event without its data. It contains no personal data and is never erased. */
export interface EventHeader {
  position: number
  call_id: string | null
  stream: string
  version: number
  type: EventType
  schema_version: number
  index: number | null
  recorded_at: string
  actor: string
}

/** What is hashed into the ledger. It is not stored: it follows from the columns of the event. */
export interface Envelope extends EventHeader {
  company_id: string
  /** SHA-256(salt ‖ data) in lower-case hexadecimal. */
  data_hash: string
}

/** What the events of an append have in common. */
export interface Origin {
  companyId: string
  /** The call that makes the events of calls among them. */
  callId: string | null
  actor: string
  recordedAt: string
  /** The row that tells from where it was sent; absent if nobody sent it. */
  clientId?: number | null
}

/** An event as it will be read, with what its row needs: the exact data that were hashed as UTF-8, and the results. */
export interface SealedEvent {
  companyId: string
  event: RecordedEvent
  data: string
  salt: Buffer
  leaf: Buffer
  /** Stored beside the event and not hashed, like `Origin`'s; of a call, its closing event has it. */
  clientId: number | null
}

/** Encodes an event: its columns, canonical data, salt, and the leaf hash of its envelope. */
export function sealEvent(decided: NewEvent, position: number, origin: Origin): SealedEvent {
  const { type, stream, version, index } = decided
  const { companyId, callId, actor, recordedAt, clientId = null } = origin
  // The row holds only the UUID of the stream.
  if (!stream.startsWith(EVENT_TYPES[type].stream)) throw new TypeError(`${type} cannot be about ${stream}`)
  const data = canonicalJson(decided.data)
  const salt = drawSalt()
  const event = {
    position,
    call_id: isOfCall(type) ? callId : null,
    stream,
    version,
    type,
    schema_version: schemaVersionOf(decided),
    index,
    recorded_at: recordedAt,
    actor,
    data: decided.data,
  } as RecordedEvent
  const leaf = leafHash(formatEnvelope(event, companyId, hashSalted(salt, data)))
  return { companyId, event, data, salt, leaf, clientId: closesCall(event) ? clientId : null }
}

/** Draws a fresh salt. They are drawn in batches, because a call for random bytes costs as much as hashing an event. */
function drawSalt(): Buffer {
  if (nextSalt === salts.length) [salts, nextSalt] = [randomBytes(SALTS_AT_ONCE * SALT_BYTES), 0]
  return salts.subarray(nextSalt, (nextSalt += SALT_BYTES))
}

const SALTS_AT_ONCE = 256
let [salts, nextSalt] = [Buffer.alloc(0), 0]

/** SHA-256(salt ‖ data) in lower-case hexadecimal. */
function hashSalted(salt: Buffer, data: string) {
  // No text has more bytes than three for each of its UTF-16 units.
  const isSmall = SALT_BYTES + 3 * data.length <= scratch.length
  const salted = isSmall ? scratch : Buffer.allocUnsafe(SALT_BYTES + Buffer.byteLength(data))
  salted.set(salt)
  return hash('sha256', salted.subarray(0, SALT_BYTES + salted.write(data, SALT_BYTES)), 'hex')
}

const scratch = Buffer.alloc(16_384)

/**
 * The canonical JSON text of an envelope, RFC 8785: the members in order, without white space. Ids, times, hashes, and
 * the names of types need no escaping.
 */
function formatEnvelope(header: EventHeader, companyId: string, dataHash: string) {
  const { index, position, stream, version } = header
  const { start, middle, end } = writeCommon(header, companyId)
  return `${start}${dataHash}","index":${index},"position":${position}${middle}${stream}${end}${version}}`
}

/** What envelopes of one call have in common is written once: a text takes more memory the more pieces it is made of. */
function writeCommon(header: EventHeader, companyId: string) {
  const { actor, call_id: callId, recorded_at: at, schema_version: schema, type } = header
  const isSame = common.callId === callId && common.type === type && common.at === at && common.schema === schema
  if (isSame && common.actor === actor && common.companyId === companyId) return common
  const call = callId === null ? 'null' : `"${callId}"`
  const start = `{"actor":${JSON.stringify(actor)},"call_id":${call},"company_id":"${companyId}","data_hash":"`
  const middle = `,"recorded_at":"${at}","schema_version":${schema},"stream":"`
  return (common = { actor, callId, companyId, at, schema, type, start, middle, end: `","type":"${type}","version":` })
}

const NOTHING = { actor: '', callId: '', companyId: '', at: '', schema: 0, type: '', start: '', middle: '', end: '' }
let common: Omit<typeof NOTHING, 'callId'> & { callId: string | null } = NOTHING

/** A stored event that this version of the program cannot read. It stops a projection and is never skipped. */
export class UnreadableEventError extends Error {
  override name = 'UnreadableEventError'
}

/** The columns of a header. */
export const HEADER_COLUMNS = [
  'position',
  'recorded_at',
  'stream_id',
  'call_id',
  'stream_version',
  'record_index',
  'schema_version',
  'type',
  'actor',
] as const satisfies (keyof EventRow)[]

type HeaderRow = Pick<EventRow, (typeof HEADER_COLUMNS)[number]>

/** Reads a stored header. Throws UnreadableEventError for an unknown type, because it cannot tell what it is about. */
export function readHeader(row: HeaderRow): EventHeader {
  const { position, type } = row
  if (!isEventType(type)) {
    throw new UnreadableEventError(`the event at position ${position} is of the unknown type ${type}`)
  }
  return {
    position,
    call_id: row.call_id === null ? null : callIdOf(row.call_id),
    stream: fromUuid(EVENT_TYPES[type].stream, row.stream_id),
    version: row.stream_version,
    type,
    schema_version: row.schema_version,
    index: row.record_index,
    recorded_at: row.recorded_at,
    actor: row.actor,
  }
}

// Events that are read one after the other mostly have these ids in common.
const callIdOf = rememberLast('log')
const companyIdOf = rememberLast('com')

/** The TypeID of a UUID, converted once if the same one comes again and again. */
function rememberLast(prefix: IdPrefix): (uuid: string) => string {
  let [last, id] = ['', '']
  return (uuid) => {
    if (uuid !== last) [last, id] = [uuid, fromUuid(prefix, uuid)]
    return id
  }
}

/** The columns of an event for `readEvent`. */
export const EVENT_COLUMNS = [...HEADER_COLUMNS, 'data'] as const

export type ReadableEvent = Pick<EventRow, (typeof EVENT_COLUMNS)[number]>

/** Decodes a stored event. Throws UnreadableEventError for an unknown type or schema version. */
export function readEvent(row: ReadableEvent): RecordedEvent {
  const header = readHeader(row)
  const { position, type, schema_version: version } = header
  if (version < 1 || version > EVENT_TYPES[type].version) {
    const unknown = `schema version ${version} of ${type}`
    throw new UnreadableEventError(`the event at position ${position} has the unknown ${unknown}`)
  }
  return joinData(header, row.data)
}

/** Decodes the data of an event. */
function joinData(header: EventHeader, data: string | null) {
  return { ...header, data: data === null ? null : parseJson(data) } as RecordedEvent
}

/** The columns of an event for `deriveEnvelope`. */
export const STORED_COLUMNS = [...EVENT_COLUMNS, 'company_id', 'salt', 'data_hash'] as const

export type StoredEvent = Pick<EventRow, (typeof STORED_COLUMNS)[number]>

/** Derives the text that was hashed into the ledger. Throws UnreadableEventError for an unknown type. */
export function deriveEnvelope(row: StoredEvent): string {
  return formatEnvelope(readHeader(row), companyIdOf(row.company_id), deriveDataHash(row))
}

/** The hash of an event's salt and data, in lower-case hexadecimal. The row has either the hash or both of them. */
export function deriveDataHash({ salt, data, data_hash: kept }: Pick<EventRow, 'salt' | 'data' | 'data_hash'>) {
  return kept ? kept.toString('hex') : hashSalted(salt!, data!)
}
