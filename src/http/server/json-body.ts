import { parse, scan } from 'secure-json-parse'
import { ATTRIBUTE_RULES } from '../../domain/attributes.ts'
import type { Problem, ProblemCode } from '../../domain/errors.ts'
import { problem } from '../../domain/errors.ts'
import type { SentJson } from '../../domain/events.ts'
import { findSyntaxError } from '../../domain/find-syntax-error.ts'
import { DuplicateMemberError, hasEscapedName, parseStrictly } from '../../domain/json.ts'
import { ProblemError } from './problem.ts'

/** The maximum nesting depth of a body. */
const MAX_DEPTH = 32

/** Several times the values that a valid record can have. */
const VALUES_PER_RECORD = 256
const LEAST_RECORDS = 1_000

const SAFE = { protoAction: 'error', constructorAction: 'ignore' } as const
const UTF8 = new TextDecoder('utf-8', { fatal: true })
/** Any whole number with fewer characters fits a double exactly. */
const MANY_CHARACTERS = 16
/** Text without this escape cannot contain U+0000 or a lone surrogate. */
const ESCAPED_CODE_UNIT = String.raw`\u`
const WHOLE_NUMBER = /^-?[0-9]+$/
const ZERO = /^-?[0.]+(?:[eE]|$)/
const BYTE_ORDER_MARK = '\ufeff'
const UTF8_MARK = Buffer.from(BYTE_ORDER_MARK)
const REPLACEMENT = '\ufffd'
const REPLACEMENT_BYTES = Buffer.from(REPLACEMENT)
const PROTO_NAME = /"__proto__"\s*:/
/** An escape in a string, as a whole. */
const ESCAPE = /\\(?:u([0-9a-fA-F]{4})|.)/g

/** A body that cannot be read. */
export class UnreadableBodyError extends ProblemError {
  override name = 'UnreadableBodyError'
  /** The index of the character of its text (`decodeBody`) that is to blame; null if no single one is. */
  readonly at: number | null

  constructor(code: ProblemCode, detail: string, at: number | null = null) {
    super(problem(code, detail))
    this.at = at
  }
}

/** Decodes the text of a body. Bytes that are not UTF-8 become U+FFFD; a byte order mark is left out. */
export function decodeBody(bytes: Buffer): string {
  return new TextDecoder().decode(bytes)
}

/**
 * Parses a JSON body (RFC 8259) and refuses whatever PostgreSQL or JSON would alter: invalid UTF-8, members named
 * `__proto__`, members that occur twice in their object, deep nesting, U+0000, lone surrogates, and numbers that a double
 * cannot hold. Also refuses a body with many more values than calls of `maxRecords` records can have: parsing millions of
 * tiny values would block the process for seconds. Throws UnreadableBodyError with `malformed_json` or `invalid_body`.
 */
export function parseJsonBody(bytes: Buffer, maxRecords = LEAST_RECORDS): SentJson {
  const text = decode(bytes)
  const maxValues = VALUES_PER_RECORD * Math.max(LEAST_RECORDS, maxRecords)
  // Check the depth before parsing: a recursive parser would run out of stack.
  const { tooDeepAt, values, members, infinityAt, alteredNumberAt } = scanBody(bytes, maxValues)
  const indexOf = (byte: number) => decodeBody(bytes.subarray(0, byte)).length
  if (tooDeepAt !== null)
    throw new UnreadableBodyError(
      'malformed_json',
      `The body is nested deeper than ${MAX_DEPTH} levels`,
      indexOf(tooDeepAt),
    )
  if (values > maxValues) throw new UnreadableBodyError('invalid_body', `The body has more than ${maxValues} values`)
  const body = parseText(text, members)
  const hasEscapes = text.includes(ESCAPED_CODE_UNIT)
  const alteration = infinityAt !== null || hasEscapes ? findAlteredValue(body, []) : null
  if (alteration !== null)
    throw new UnreadableBodyError(
      'invalid_body',
      alteration,
      (hasEscapes ? findAlteredEscape(text) : null) ?? (infinityAt === null ? null : indexOf(infinityAt)),
    )
  if (alteredNumberAt !== null) throw new UnreadableBodyError('invalid_body', ALTERED_NUMBER, indexOf(alteredNumberAt))
  return body
}

/** Parses a text like a body, or says what is wrong with it. */
export function readJsonBody(
  json: string,
  maxRecords: number,
): { body: SentJson; problem?: undefined } | { problem: Problem } {
  try {
    return { body: parseJsonBody(Buffer.from(json), maxRecords) }
  } catch (error) {
    if (error instanceof ProblemError) return { problem: error.problem }
    throw error
  }
}

function decode(bytes: Buffer): string {
  if (bytes.length === 0) throw new UnreadableBodyError('malformed_json', 'The body is empty')
  const text = decodeUtf8(bytes)
  // The decoder has skipped the first one, as RFC 8259 section 8.1 allows.
  if (text.startsWith(BYTE_ORDER_MARK))
    throw new UnreadableBodyError('malformed_json', 'The body begins with two byte order marks', 0)
  return text
}

function decodeUtf8(bytes: Buffer): string {
  try {
    return UTF8.decode(bytes)
  } catch {
    throw new UnreadableBodyError('malformed_json', 'The body is not valid UTF-8', findInvalidBytes(bytes))
  }
}

/** The index of the first character of the decoded text that stands for bytes that are not UTF-8. */
function findInvalidBytes(bytes: Buffer): number | null {
  const text = decodeBody(bytes)
  let byte = bytes.subarray(0, UTF8_MARK.length).equals(UTF8_MARK) ? UTF8_MARK.length : 0
  let start = 0
  for (let at = text.indexOf(REPLACEMENT); at !== -1; at = text.indexOf(REPLACEMENT, start)) {
    byte += Buffer.byteLength(text.slice(start, at))
    const sent = bytes.subarray(byte, byte + REPLACEMENT_BYTES.length)
    if (!sent.equals(REPLACEMENT_BYTES)) return at
    byte += sent.length
    start = at + 1
  }
  return null
}

/** Parses text that has so many members. */
function parseText(text: string, members: number): SentJson {
  try {
    if (hasEscapedName(text)) return scan(parseStrictly(text) as object, SAFE)
    const body = parse(text, null, SAFE)
    // Of several members with one name, the parser keeps the last one, which need not be the one that was meant.
    return countMembers(body) === members ? body : parseStrictly(text)
  } catch (error) {
    throw explainSyntaxError(error, text)
  }
}

function explainSyntaxError(error: unknown, text: string): UnreadableBodyError {
  const refuse = (detail: string, at: number | null) => new UnreadableBodyError('malformed_json', detail, at)
  if (error instanceof DuplicateMemberError)
    return refuse(`${renderMember(error.path)} occurs twice, at character ${error.at}`, error.at)
  // V8 quotes the body in some messages, and names no place in others.
  const at = findSyntaxError(text)
  if (at !== null) return refuse(`The body is not valid JSON at character ${at}`, at)
  const namedAt = text.search(PROTO_NAME)
  return refuse('The body has a member named __proto__', namedAt === -1 ? null : namedAt)
}

interface ScannedBody {
  /** The byte with which it is nested too deep. */
  tooDeepAt: number | null
  /** Members, elements and containers; the scan ends beyond the maximum. */
  values: number
  /** The members of all objects. */
  members: number
  /** The byte where a number begins that is too large for a double. */
  infinityAt: number | null
  /** The byte where a number begins that a double cannot hold otherwise. */
  alteredNumberAt: number | null
}

/**
 * Scans everything outside of strings: the nesting depth, the number of values and of members, and numbers that a double
 * cannot hold. Reads bytes, which is faster than reading characters: in UTF-8, the bytes of other characters are never ASCII.
 */
function scanBody(bytes: Buffer, maxValues: number): ScannedBody {
  const facts: ScannedBody = { tooDeepAt: null, values: 0, members: 0, infinityAt: null, alteredNumberAt: null }
  let depth = 0
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at]!
    if (byte === 0x22) at = endOfString(bytes, at)
    else if (byte === 0x2d || (byte >= 0x30 && byte <= 0x39)) {
      const { end, hasExponent } = endOfNumber(bytes, at)
      const literal = hasExponent || end - at >= MANY_CHARACTERS ? bytes.toString('latin1', at, end) : null
      const start = at
      at = end - 1
      if (literal === null) continue
      const value = Number(literal)
      if (!Number.isFinite(value)) facts.infinityAt ??= start
      else if (!isExact(literal, value)) facts.alteredNumberAt ??= start
    } else if (byte === 0x2c) {
      facts.values += 1
      if (facts.values > maxValues) return facts
    } else if (byte === 0x3a) facts.members += 1
    else if (byte === 0x5b || byte === 0x7b) {
      depth += 1
      facts.values += 1
      if (depth > MAX_DEPTH) return { ...facts, tooDeepAt: at }
    } else if (byte === 0x5d || byte === 0x7d) depth -= 1
  }
  return facts
}

/** The end of the number that starts here. What looks like a number may turn out to be invalid JSON. */
function endOfNumber(bytes: Buffer, start: number): { end: number; hasExponent: boolean } {
  let end = start + 1
  let hasExponent = false
  for (; end < bytes.length; end += 1) {
    const byte = bytes[end]!
    if (!isOfNumber(byte)) break
    hasExponent ||= byte === 0x45 || byte === 0x65
  }
  return { end, hasExponent }
}

function isOfNumber(byte: number): boolean {
  return (
    (byte >= 0x30 && byte <= 0x39) || byte === 0x2e || byte === 0x45 || byte === 0x65 || byte === 0x2b || byte === 0x2d
  )
}

/** The end of the string that starts here. Strings make up most of a body, so they get a tight loop of their own. */
function endOfString(bytes: Buffer, start: number): number {
  let at = start + 1
  for (; at < bytes.length; at += 1) {
    const byte = bytes[at]!
    if (byte === 0x22) break
    if (byte === 0x5c) at += 1
  }
  return at
}

/** Counts the members of all objects in a value. */
function countMembers(value: SentJson): number {
  if (typeof value !== 'object' || value === null) return 0
  let count = 0
  if (Array.isArray(value)) {
    for (const element of value) count += countMembers(element)
    return count
  }
  // No prototype has anything to list.
  // oxlint-disable-next-line guard-for-in
  for (const name in value) count += 1 + countMembers((value as Record<string, SentJson>)[name])
  return count
}

/** Member names and array indexes that lead to a value, from the outside in. */
type Path = (string | number)[]

/** Finds a string or number that storing would alter. Returns a message, or null if there is none. */
function findAlteredValue(value: SentJson, path: Path): string | null {
  if (typeof value === 'string') return findAlteredText(value, path)
  if (typeof value === 'number') return Number.isFinite(value) ? null : `A number at ${renderPath(path)} is too large`
  if (typeof value !== 'object' || value === null) return null
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at += 1) {
      const alteration = findAlteredMember(value[at], at, path)
      if (alteration) return alteration
    }
    return null
  }
  for (const name of Object.keys(value)) {
    const alteration =
      findAlteredText(name, path) ?? findAlteredMember((value as Record<string, SentJson>)[name], name, path)
    if (alteration) return alteration
  }
  return null
}

function findAlteredMember(member: SentJson, name: string | number, path: Path): string | null {
  path.push(name)
  const alteration = findAlteredValue(member, path)
  path.pop()
  return alteration
}

/** The index of the first escape that spells U+0000 or a lone surrogate, in JSON; null if there is none. */
function findAlteredEscape(json: string): number | null {
  let high: { at: number; end: number } | null = null
  for (const { 0: escape, 1: digits, index: at } of json.matchAll(ESCAPE)) {
    const unit = Number.parseInt(digits ?? '20', 16)
    const isLow = unit >= 0xdc00 && unit <= 0xdfff
    if (high) {
      if (!isLow || high.end !== at) return high.at
      high = null
    } else if (unit === 0 || isLow) return at
    else if (unit >= 0xd800 && unit <= 0xdbff) high = { at, end: at + escape.length }
  }
  return high?.at ?? null
}

function findAlteredText(text: string, path: Path): string | null {
  if (text.includes('\0')) return `A string at ${renderPath(path)} contains U+0000`
  return text.isWellFormed() ? null : `A string at ${renderPath(path)} contains a lone surrogate`
}

/** Renders a path for a message. Stops before the first name that the client chose. */
function renderPath(path: Path): string {
  const end = path.findIndex((name) => !isOurs(name))
  const readable = end === -1 ? path : path.slice(0, end)
  return readable.length === 0 ? 'the top level' : `/${readable.join('/')}`
}

/** Names the member at a path, or what it belongs to if the client chose a name. */
function renderMember(path: Path): string {
  return `${path.every(isOurs) ? 'The member' : 'A member of'} ${renderPath(path)}`
}

function isOurs(name: string | number): boolean {
  return typeof name === 'number' || name === 'employees' || Object.hasOwn(ATTRIBUTE_RULES, name)
}

const ALTERED_NUMBER = 'a number in the body has more digits than a double can hold, or is too close to zero'

/**
 * Whether a double represents a literal well enough. Fractions may be rounded, whole numbers may not, and only zero may
 * become zero.
 */
function isExact(literal: string, value: number): boolean {
  if (!WHOLE_NUMBER.test(literal)) return value !== 0 || ZERO.test(literal)
  // The shortest digits of a double need not be its exact value, but they return as they were sent.
  return String(value) === literal || BigInt(literal) === BigInt(value)
}
