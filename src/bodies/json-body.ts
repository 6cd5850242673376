import { parse, scan } from 'secure-json-parse'
import { MAX_RECORD_BYTES } from '#domain/calls/refused-record'
import {
  MAX_MEMBERS,
  MAX_NESTED,
  MAX_SENT_BYTES,
  TOO_MANY_BYTES,
  TOO_MANY_MEMBERS,
  tooManyValues,
  UnreadRecord,
} from '#domain/calls/call-records'
import { wordFault, type FieldError } from '#domain/record-faults'
import { IDENTIFYING_FIELDS, type SentJson } from '#domain/events'
import { findSyntaxError } from '#domain/find-syntax-error'
import { hasEscapedName, parseStrictly } from '#domain/json'
import { doAtOnce, type Pieces } from '#domain/pieces'
import { checkEncoding } from './body-encoding.ts'
import { explainAlteration, explainSyntaxError, type BodyPart, type Path } from './body-faults.ts'
import { JsonScanner, MAX_DEPTH, readScalarAt, readTextAt, type Piece, type ScanFault } from './scan-json.ts'
import { UnreadableBodyError } from './unreadable-body.ts'

/** Several times the values that a valid record can have. */
const VALUES_PER_RECORD = 256
/** A body may have the values of this many records, even where `MAX_RECORDS` is smaller. */
const LEAST_RECORDS = 1_000

/** How many bytes are looked at, or parsed, before others get a turn. */
const PORTION = 65_536

const SAFE = { protoAction: 'error', constructorAction: 'ignore' } as const
/** Text without this escape cannot contain U+0000 or a lone surrogate. */
const ESCAPED_CODE_UNIT = String.raw`\u`

/** What a body may have. */
interface BodyLimits {
  /** Whether a list is one of records, and not a value of a record. */
  hasRecords: boolean
  /** Records beyond this number are counted and not parsed. */
  maxRecords: number
  /** Values of all records together, apart from those that are not parsed. */
  maxValues: number
  /** Whether the body is parsed at once, whatever it has. */
  isWhole?: boolean
}

/** The limits of a call with so many records. */
export function limitsOfCall(maxRecords: number): BodyLimits {
  return { hasRecords: true, maxRecords, maxValues: VALUES_PER_RECORD * Math.max(LEAST_RECORDS, maxRecords) }
}

/** The limits of a body that has no records, and at most so many values. */
export function limitsOfWhole(maxValues: number): BodyLimits {
  return { ...ONE_RECORD, maxValues, isWhole: true }
}

const ANY_NUMBER: BodyLimits = { ...limitsOfCall(LEAST_RECORDS), maxRecords: Infinity }
const ONE_RECORD: BodyLimits = { ...ANY_NUMBER, hasRecords: false }

/**
 * Parses a JSON body (RFC 8259) and refuses whatever PostgreSQL or JSON would alter: invalid UTF-8, members named
 * `__proto__`, members that occur twice in their object, deep nesting, U+0000, lone surrogates, and numbers that a double
 * cannot hold. Throws UnreadableBodyError with `malformed_json` or `invalid_body`.
 *
 * Works in pieces of some milliseconds. It looks over the bytes before it parses any: of a record that has more members
 * or bytes than it may, only the names are read (UnreadRecord), and a list with more records than a call may have is
 * returned with its length and without its records.
 */
export function* parseInPieces(bytes: Buffer, limits = ANY_NUMBER): Pieces<SentJson> {
  const start = yield* checkEncoding(bytes)
  const isCounted = limits.isWhole ? () => true : isParsed
  const scanner = new JsonScanner(bytes, start, { ...limits, maxNested: MAX_NESTED, isParsed: isCounted })
  for (let at = start; at < bytes.length;) {
    at = Math.min(at + PORTION, bytes.length)
    if (scanner.scan(at)) break
    if (at < bytes.length) yield
  }
  scanner.end()
  if (scanner.fault !== null) throw explainFault(scanner.fault, scanner.faultAt, limits)
  return yield* parseScanned({ bytes, start, scanner }, limits.isWhole)
}

/** The same, at once. */
export function parseJsonBody(bytes: Buffer, limits?: BodyLimits): SentJson {
  return doAtOnce(parseInPieces(bytes, limits))
}

/** Parses a record like a body, or says what is wrong with it, also if that is its size. */
export function parseRecord(
  json: string,
): { record: SentJson; problem?: undefined } | { record?: undefined; problem: string } {
  const plain = parsePlain(json)
  if (plain !== undefined) return { record: plain }
  try {
    const record = parseJsonBody(Buffer.from(json), ONE_RECORD)
    return record instanceof UnreadRecord ? { problem: wordFault(record.error.fault) } : { record }
  } catch (error) {
    if (error instanceof UnreadableBodyError) return { problem: error.message }
    throw error
  }
}

/** The UTF-16 units of a record that may be plain: fewer than the bytes of one that is parsed, whatever it has. */
const MAX_PLAIN = 16_384
/** What a record may have that is refused although it is written again as it is, or that is nested too deep. */
const SUSPECT = new RegExp(String.raw`__proto__|\\u|^(?:[^{[]*[{[]){${MAX_DEPTH}}`)

/**
 * Parses a record that has nothing to refuse, as most have. It is written again as it is: so no member occurs twice, and
 * no number is altered. Returns undefined for any other one.
 */
function parsePlain(json: string): SentJson {
  if (json.length > MAX_PLAIN || SUSPECT.test(json)) return undefined
  try {
    const record = JSON.parse(json) as SentJson
    return JSON.stringify(record) === json ? record : undefined
  } catch {
    return undefined
  }
}

function explainFault(fault: ScanFault, at: number, { maxValues }: BodyLimits) {
  switch (fault) {
    case 'too deep':
      return new UnreadableBodyError('malformed_json', `The body is nested deeper than ${MAX_DEPTH} levels`, at)
    case 'too many values':
      return new UnreadableBodyError('invalid_body', `The body has more than ${maxValues} values`)
    case 'altered number':
      return new UnreadableBodyError('invalid_body', ALTERED_NUMBER, at)
  }
}

const ALTERED_NUMBER =
  'A number in the body has more digits than a double can hold, or is too close to zero: send a text'

/**
 * Whether a record is parsed: a small one is, and a larger one if it has no more members and bytes than it may. One that
 * is not parsed would not be kept whole either.
 */
function isParsed({ start, end, ownCommas, nested }: Piece, bytesOfList = 0) {
  const bytes = end - start - bytesOfList
  return bytes <= MAX_RECORD_BYTES || (bytes <= MAX_SENT_BYTES && ownCommas < MAX_MEMBERS && nested <= MAX_NESTED)
}

/** A body that was scanned. */
interface Scanned {
  bytes: Buffer
  /** Where its text begins. */
  start: number
  scanner: JsonScanner
}

/** A part of a body, and the number of members of all its objects. */
interface CountedPart extends BodyPart {
  members: number
}

function* parseScanned(body: Scanned, isWhole = false): Pieces<SentJson> {
  const { bytes, start, scanner } = body
  const { around, records, recordCount, listStart, listEnd } = scanner
  if (isWhole || bytes.length <= PORTION) return yield* parsePart(body, wholePart(body))
  if (!isParsed(around, Math.max(0, listEnd - listStart))) return yield* readUnparsed(body, around)
  if (listStart === -1) return yield* parsePart(body, wholePart(body))
  const shellPart = makeShellPart(body)
  // The end of the list is missing.
  if (listEnd === -1) throw yield* explainSyntaxError(bytes, start, shellPart, null)
  const shell = yield* parsePart(body, shellPart)
  const isBare = Array.isArray(shell)
  const list: SentJson[] = []
  for (let first = 0; first < records.length;) {
    const next = endOfGroup(records, first)
    if (next === first) {
      list.push(yield* readUnparsed(body, records[first]!))
      first += 1
    } else {
      const part = makeGroupPart(body, first, next, isBare ? [] : ['employees'])
      for (const record of (yield* parsePart(body, part)) as SentJson[]) list.push(record)
      first = next
    }
    if (first < records.length) yield
  }
  if (recordCount > records.length) list.length = recordCount
  return isBare ? list : { ...(shell as object), employees: list }
}

/** The end of the records from one on that are parsed together: the same one if it is not parsed. */
function endOfGroup(records: readonly Piece[], first: number) {
  let next = first
  for (; next < records.length && isParsed(records[next]!); next += 1)
    if (next > first && records[next]!.end - records[first]!.start > PORTION) break
  return next
}

function wholePart({ bytes, start, scanner }: Scanned): CountedPart {
  const text = bytes.toString('utf8', start)
  return {
    text,
    members: scanner.around.members + scanner.membersOfRecords,
    byteOf: (at) => start + Buffer.byteLength(text.slice(0, at)),
    pathOf: (path) => path,
  }
}

/** The body with an empty list of records. */
function makeShellPart({ bytes, start, scanner }: Scanned): CountedPart {
  const { around, listStart, listEnd } = scanner
  const head = bytes.toString('utf8', start, listStart + 1)
  const tail = listEnd === -1 ? '' : bytes.toString('utf8', listEnd)
  const byteOf = (at: number) =>
    at < head.length
      ? start + Buffer.byteLength(head.slice(0, at))
      : listEnd + Buffer.byteLength(tail.slice(0, at - head.length))
  return { text: head + tail, members: around.members, byteOf, pathOf: (path) => path }
}

/** Some of the records, as a list of their own. */
function makeGroupPart({ bytes, scanner: { records } }: Scanned, first: number, next: number, list: Path): CountedPart {
  const { start } = records[first]!
  const text = `[${bytes.toString('utf8', start, records[next - 1]!.end)}]`
  let members = 0
  for (let at = first; at < next; at += 1) members += records[at]!.members
  return {
    text,
    members,
    byteOf: (at) => start + Buffer.byteLength(text.slice(1, at)),
    pathOf: ([at, ...path]) => (at === undefined ? list : [...list, first + (at as number), ...path]),
  }
}

function* parsePart({ bytes, start, scanner }: Scanned, part: CountedPart): Pieces<SentJson> {
  let value: SentJson
  try {
    value = parseText(part)
  } catch (error) {
    throw yield* explainSyntaxError(bytes, start, part, error)
  }
  const mayBeAltered = scanner.infinityAt !== -1 || part.text.includes(ESCAPED_CODE_UNIT)
  const alteration = mayBeAltered ? explainAlteration(part, value, scanner.infinityAt) : null
  if (alteration !== null) throw alteration
  return value
}

function parseText({ text, members }: CountedPart): SentJson {
  if (hasEscapedName(text)) return scan(parseStrictly(text) as object, SAFE)
  const value: SentJson = parse(text, null, SAFE)
  // Of several members with one name, the parser keeps the last one, which need not be the one that was meant.
  return countMembers(value) === members ? value : parseStrictly(text)
}

/** Counts the members of all objects in a value. */
function countMembers(value: SentJson) {
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

/** Checks a record that is too large to parse, and reads the names in it. */
function* readUnparsed({ bytes, start, scanner }: Scanned, piece: Piece): Pieces<UnreadRecord> {
  const values = new Map<string, number>()
  // The syntax of JSON is ASCII.
  const json = bytes.toString('latin1', piece.start, piece.end)
  const fault = yield* findSyntaxError(json, (from, to) => {
    const literal = json.slice(from + 1, to - 1)
    const name = literal.includes('\\') ? readTextAt(bytes, piece.start + from, MAX_NAME_BYTES) : literal
    if (name !== null && IDENTIFYING.has(name) && !values.has(name)) values.set(name, piece.start + to)
  })
  if (fault !== null) throw yield* explainSyntaxError(bytes, start, makeShellPart({ bytes, start, scanner }), null)
  const names = [...values].flatMap(([name, end]) => {
    const value = readScalarAt(bytes, end, MAX_VALUE_BYTES)
    return value === null ? [] : [[name, value] as const]
  })
  const text = bytes.toString('utf8', piece.start, Math.min(piece.end, piece.start + MAX_RECORD_BYTES))
  return new UnreadRecord(text.trimStart(), Object.fromEntries(names), explainSize(bytes, piece))
}

/** As many bytes as the longest of these names takes if all of its characters are escaped. */
const MAX_NAME_BYTES = 128
/** More than any email address or id takes. */
const MAX_VALUE_BYTES = 16_384
const IDENTIFYING: ReadonlySet<string> = new Set(IDENTIFYING_FIELDS)

function explainSize(bytes: Buffer, { ownCommas, nested, excessAt }: Piece): FieldError {
  if (ownCommas >= MAX_MEMBERS) return TOO_MANY_MEMBERS
  if (nested > MAX_NESTED) return tooManyValues(readTextAt(bytes, excessAt, MAX_NAME_BYTES) ?? '')
  return TOO_MANY_BYTES
}
