import { isUtf8 } from 'node:buffer'
import { hash } from 'node:crypto'
import { parseJson } from '#domain/json'
import { canonicalJson } from '#ledger/integrity/canonical-json'
import { SALT_BYTES, type Envelope } from '#ledger/integrity/codec'

/** The envelope of an exported event. Its type and schema version may be unknown. */
interface ExportedEnvelope extends Omit<Envelope, 'type'> {
  type: string
}

/** An exported event whose line is well-formed and whose data matches its hash. */
export interface ExportedEvent extends ExportedEnvelope {
  /** The leaf entry. */
  envelope: string
  data: string | null
}

const BEGINNING = Buffer.from('{"envelope":"')
const LINE_FEED = 0x0a
const ID = /^[a-z]{3}_[0-9a-hjkmnp-tv-z]{26}$/
const ACTOR = /^[a-z0-9_]+$/
const TYPE = /^[A-Za-z]+$/
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/
const HASH = /^[0-9a-f]{64}$/
const SALT = new RegExp(`^[0-9a-f]{${2 * SALT_BYTES}}$`)

/**
 * Parses the line of the event at a position, and checks its form, the canonical form of the envelope, and the hash of
 * the data. Throws VerificationError for the first fault.
 */
export function readLine(line: Buffer, position: number): ExportedEvent {
  if (position === 1 && !line.subarray(0, BEGINNING.length).equals(BEGINNING)) {
    throw new VerificationError('unverifiable', null, 'this is not an exported ledger, or its format is unknown')
  }
  assertValid(line.at(-1) === LINE_FEED, position, 'the line is cut off')
  assertValid(isUtf8(line), position, 'the line is not UTF-8')
  const { envelope, data, salt } = readMembers(line.toString('utf8', 0, line.length - 1), position)
  const event = readEnvelope(envelope, position)
  assertValid((data === null) === (salt === null), position, 'only one of data and salt is null')
  if (data !== null && salt !== null) {
    assertValid(SALT.test(salt), position, 'the salt is not 16 bytes in lower-case hexadecimal')
    const dataHash = hash('sha256', Buffer.concat([Buffer.from(salt, 'hex'), Buffer.from(data)]), 'hex')
    assertValid(dataHash === event.data_hash, position, 'the data does not match the hash in the envelope')
  }
  return { ...event, envelope, data }
}

function readMembers(text: string, position: number) {
  const line = parse(text) as { envelope?: unknown; data?: unknown; salt?: unknown } | null | undefined
  const { envelope, data, salt } = line ?? {}
  const isText = (value: unknown): value is string => typeof value === 'string' && value.isWellFormed()
  const isTextOrNull = (value: unknown): value is string | null => value === null || isText(value)
  const isWhole = isText(envelope) && isTextOrNull(data) && isTextOrNull(salt)
  // Another way of writing the same values is not the line that was exported.
  assertValid(
    isWhole && JSON.stringify({ envelope, data, salt }) === text,
    position,
    'the line is not in the proof format',
  )
  return { envelope, data, salt }
}

function readEnvelope(text: string, position: number) {
  const value = parse(text) as Record<string, unknown> | null | undefined
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  assertValid(
    isObject && hasForm(value) && canonicalJson(value) === text,
    position,
    'the envelope is not in canonical form',
  )
  return value as unknown as ExportedEnvelope
}

const FORM: Record<keyof ExportedEnvelope, (value: unknown) => boolean> = {
  actor: (value) => matches(ACTOR, value),
  call_id: (value) => value === null || matches(ID, value),
  company_id: (value) => matches(ID, value),
  data_hash: (value) => matches(HASH, value),
  index: (value) => value === null || isCount(value),
  position: isCount,
  recorded_at: (value) => matches(TIME, value),
  schema_version: isCount,
  stream: (value) => matches(ID, value),
  type: (value) => matches(TYPE, value),
  version: isCount,
}
const MEMBERS = Object.keys(FORM) as (keyof ExportedEnvelope)[]

function hasForm(value: Record<string, unknown>) {
  return Object.keys(value).length === MEMBERS.length && MEMBERS.every((name) => FORM[name](value[name]))
}

/** A non-negative integer that every JSON parser reads alike. */
export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

function matches(pattern: RegExp, value: unknown) {
  return typeof value === 'string' && pattern.test(value)
}

/** Parses JSON; undefined if it is malformed. */
export function parse(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

/** How a ledger fails: it is inconsistent, it contradicts a checkpoint, or it cannot be verified. */
export type VerificationErrorKind = 'invalid' | 'diverged' | 'unverifiable'

/** The first error of an exported ledger. */
export class VerificationError extends Error {
  override name = 'VerificationError'
  readonly kind: VerificationErrorKind
  /** The position of the event with the error; null if it is not about an event. */
  readonly position: number | null

  constructor(kind: VerificationErrorKind, position: number | null, reason: string) {
    super(reason)
    this.kind = kind
    this.position = position
  }
}

/** Throws an `invalid` error unless a rule holds. */
export function assertValid(holds: boolean, position: number, reason: string): asserts holds {
  if (!holds) throw new VerificationError('invalid', position, reason)
}
