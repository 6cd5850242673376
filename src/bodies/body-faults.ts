import { ATTRIBUTE_RULES } from '#domain/attributes'
import { MAX_SIDE_CHARACTERS, type BodyWindow } from '#domain/calls/rejected-body'
import type { SentJson } from '#domain/events'
import { findSyntaxError } from '#domain/find-syntax-error'
import { DuplicateMemberError } from '#domain/json'
import type { Pieces } from '#domain/pieces'
import { endOfCharacter, startOfText } from './body-encoding.ts'
import { UnreadableBodyError } from './unreadable-body.ts'

/* What is wrong with a body that cannot be read, and where. */

/** How many bytes are looked at before others get a turn. */
const PORTION = 262_144

const PROTO_NAME = /"__proto__"\s*:/
/** An escape in a string, as a whole. */
const ESCAPE = /\\(?:u([0-9a-fA-F]{4})|.)/g

/** A part of a body that is parsed. */
export interface BodyPart {
  text: string
  /** The byte of the body at which a character of the text is. */
  byteOf(at: number): number
  /** The path in the body of what is at a path in the text. */
  pathOf(path: Path): Path
}

/** Explains why a part of a body, which begins at a byte, could not be parsed. */
export function* explainSyntaxError(
  bytes: Buffer,
  start: number,
  part: BodyPart,
  error: unknown,
): Pieces<UnreadableBodyError> {
  const refuse = (detail: string, at: number | null) => new UnreadableBodyError('malformed_json', detail, at)
  if (error instanceof DuplicateMemberError) {
    const at = part.byteOf(error.at)
    const character = yield* countCharacters(bytes, start, at)
    return refuse(`${renderMember(part.pathOf(error.path))} occurs twice, at character ${character}`, at)
  }
  // V8 quotes the body in some messages, and names no place in others. The syntax of JSON is ASCII.
  const found = yield* findSyntaxError(bytes.toString('latin1', start))
  if (found !== null) {
    const character = yield* countCharacters(bytes, start, start + found)
    const hint = explainCharacter(bytes, start + found)
    return refuse(`The body is not valid JSON at character ${character}${hint}`, start + found)
  }
  const namedAt = part.text.search(PROTO_NAME)
  return refuse('The body has a member named __proto__', namedAt === -1 ? null : part.byteOf(namedAt))
}

/** What usually puts a character where JSON has none: another language's notation, or several texts in one body. */
const MISTAKES: readonly [before: RegExp, from: RegExp, hint: string][] = [
  [/,\s*$/, /^[}\]]/, ': a comma stands before it that separates nothing'],
  [/[}\]]\s*$/, /^[{[]/, ': send one list, with commas between its records'],
  [/[}\]]\s*$/, /^[^,\]}]/, ': only a comma or the end can follow there'],
  [/^\s*$/, /^$/, ': it is blank'],
  [/^\s*$/, /^</, ': it looks like XML or HTML'],
  [/^\s*$/, /^[\w.%]+=/, ': it looks like a form'],
  [/^\[$/, /^object /, ': a program made a text of an object instead of JSON'],
  [/"[^"]*$/, /^[\t\n\r]/, ': in a text, a line break is written \\n, and a tab \\t'],
  [/(?:)/, /^(?:NaN|-?Infinity|None|undefined)/, ': JSON writes null'],
  [/(?:)/, /^(?:True|False)/, ': JSON writes true and false'],
  [/(?:)/, /^['A-Za-z_\u2018-\u201d]/, ': names and texts stand in double quotation marks, "'],
  [/(?:)/, /^\//, ': JSON has no comments'],
]

function explainCharacter(bytes: Buffer, at: number) {
  const [before, from] = [bytes.toString('latin1', Math.max(0, at - 64), at), bytes.toString('utf8', at, at + 64)]
  return MISTAKES.find(([left, right]) => left.test(before) && right.test(from))?.[2] ?? ''
}

/** The characters (UTF-16 units) of the text between two bytes. */
function* countCharacters(bytes: Buffer, from: number, to: number): Pieces<number> {
  let count = 0
  for (let at = from; at < to;) {
    const end = Math.min(endOfCharacter(bytes, at + PORTION), to)
    count += bytes.toString('utf8', at, end).length
    at = end
    if (at < to) yield
  }
  return count
}

/** Cuts the text around a byte out of a body; its beginning if no byte is to blame. */
export function* cutBody(bytes: Buffer, errorAt: number | null): Pieces<BodyWindow> {
  const start = startOfText(bytes)
  const at = Math.max(start, errorAt ?? start)
  const from = endOfCharacter(bytes, Math.max(start, at - SIDE_BYTES))
  const to = endOfCharacter(bytes, at + SIDE_BYTES)
  let linesBefore = 0
  let lineStart = start
  for (let end = bytes.indexOf(LINE_FEED, start); end !== -1 && end < from; end = bytes.indexOf(LINE_FEED, lineStart)) {
    linesBefore += 1
    lineStart = end + 1
    if (linesBefore % LINES_AT_ONCE === 0) yield
  }
  const head = bytes.toString('utf8', from, at)
  return {
    text: head + bytes.toString('utf8', at, to),
    errorAt: errorAt === null ? null : head.length,
    bytes: bytes.length,
    isFromStart: from === start,
    isToEnd: to === bytes.length,
    linesBefore,
    columnsBefore: yield* countCharacters(bytes, lineStart, from),
  }
}

const LINE_FEED = 0x0a
const LINES_AT_ONCE = 10_000
/** A character (UTF-16 unit) takes at most three bytes. */
const SIDE_BYTES = 3 * MAX_SIDE_CHARACTERS

/** Explains that a value would be altered if it was stored; null if it would not. `infinityAt` is the byte of a number. */
export function explainAlteration(part: BodyPart, value: SentJson, infinityAt: number) {
  const alteration = findAlteredValue(value, [], part.pathOf)
  if (alteration === null) return null
  const escapeAt = findAlteredEscape(part.text)
  const at = escapeAt === null ? (infinityAt === -1 ? null : infinityAt) : part.byteOf(escapeAt)
  return new UnreadableBodyError('invalid_body', alteration, at)
}

/** Member names and array indexes that lead to a value, from the outside in. */
export type Path = (string | number)[]
type PathOf = BodyPart['pathOf']

/** Finds a string or number that storing would alter. Returns a message, or null if there is none. */
function findAlteredValue(value: SentJson, path: Path, pathOf: PathOf): string | null {
  if (typeof value === 'string') return findAlteredText(value, path, pathOf)
  if (typeof value === 'number')
    return Number.isFinite(value) ? null : `A number at ${renderPath(pathOf(path))} is too large`
  if (typeof value !== 'object' || value === null) return null
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at += 1) {
      const alteration = findAlteredMember(value[at], at, path, pathOf)
      if (alteration) return alteration
    }
    return null
  }
  for (const name of Object.keys(value)) {
    const alteration =
      findAlteredText(name, path, pathOf) ??
      findAlteredMember((value as Record<string, SentJson>)[name], name, path, pathOf)
    if (alteration) return alteration
  }
  return null
}

function findAlteredMember(member: SentJson, name: string | number, path: Path, pathOf: PathOf): string | null {
  path.push(name)
  const alteration = findAlteredValue(member, path, pathOf)
  path.pop()
  return alteration
}

/** The index of the first escape that spells U+0000 or a lone surrogate, in JSON; null if there is none. */
function findAlteredEscape(json: string) {
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

function findAlteredText(text: string, path: Path, pathOf: PathOf) {
  if (text.includes('\0')) return `A string at ${renderPath(pathOf(path))} contains U+0000`
  return text.isWellFormed() ? null : `A string at ${renderPath(pathOf(path))} contains a lone surrogate`
}

/** Renders a path for a message. Stops before the first name that the client chose. */
function renderPath(path: Path) {
  const end = path.findIndex((name) => !isOurs(name))
  const readable = end === -1 ? path : path.slice(0, end)
  return readable.length === 0 ? 'the top level' : `/${readable.join('/')}`
}

/** Names the member at a path, or what it belongs to if the client chose a name. */
function renderMember(path: Path) {
  return `${path.every(isOurs) ? 'The member' : 'A member of'} ${renderPath(path)}`
}

function isOurs(name: string | number) {
  return typeof name === 'number' || name === 'employees' || Object.hasOwn(ATTRIBUTE_RULES, name)
}
