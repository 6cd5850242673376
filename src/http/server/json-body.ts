import { parse } from 'secure-json-parse'
import { ATTRIBUTE_RULES } from '../../domain/attributes.ts'
import type { ProblemCode } from '../../domain/errors.ts'
import { problem } from '../../domain/errors.ts'
import type { SentJson } from '../../domain/events.ts'
import { ProblemError } from './problem.ts'

/** Maximum nesting depth of a body. */
export const MAX_DEPTH = 32

const UTF8 = new TextDecoder('utf-8', { fatal: true })
/** A double represents every integer with fewer characters exactly. */
const MANY_CHARACTERS = 16
/** Valid UTF-8 can contain U+0000 or a lone surrogate only through one of these escapes. */
const ESCAPED_CODE_UNIT = String.raw`\u`
const WHOLE_NUMBER = /^-?[0-9]+$/
const ZERO = /^-?[0.]+(?:[eE]|$)/
const BYTE_ORDER_MARK = '\ufeff'

/**
 * Parses a body as JSON (RFC 8259) and refuses what could not be stored exactly: invalid UTF-8, members named
 * `__proto__`, too deep nesting, U+0000, lone surrogates, and numbers that a double cannot represent.
 * Throws ProblemError with `malformed_json` or `invalid_body`.
 */
export function parseJsonBody(bytes: Buffer): SentJson {
  const text = decode(bytes)
  // Check the depth before parsing: a recursive parser would overflow its stack on a body of brackets.
  const { isTooDeep, hasInfinity, hasBentNumber } = lookThrough(text)
  if (isTooDeep) throw refusal('malformed_json', `The body is nested deeper than ${MAX_DEPTH} levels`)
  const body = parseText(text)
  const fault =
    (hasInfinity || text.includes(ESCAPED_CODE_UNIT) ? bentValue(body, []) : null) ??
    (hasBentNumber ? BENT_NUMBER : null)
  if (fault) throw refusal('invalid_body', fault)
  return body
}

function decode(bytes: Buffer): string {
  if (bytes.length === 0) throw refusal('malformed_json', 'The body is empty')
  const text = decodeUtf8(bytes)
  // The decoder has already skipped one, as RFC 8259 section 8.1 allows.
  if (text.startsWith(BYTE_ORDER_MARK)) throw refusal('malformed_json', 'The body begins with two byte order marks')
  return text
}

function decodeUtf8(bytes: Buffer): string {
  try {
    return UTF8.decode(bytes)
  } catch {
    throw refusal('malformed_json', 'The body is not valid UTF-8')
  }
}

function parseText(text: string): SentJson {
  try {
    return parse(text, null, { protoAction: 'error', constructorAction: 'ignore' })
  } catch (error) {
    const isProto = error instanceof SyntaxError && error.message.includes('forbidden prototype')
    throw refusal('malformed_json', isProto ? 'The body has a member named __proto__' : syntaxDetail(error))
  }
}

/** Extracts only the position, because some messages of V8 quote the body. */
function syntaxDetail(error: unknown): string {
  const [, position] =
    / at position (\d+) \(line \d+ column \d+\)$/.exec(error instanceof Error ? error.message : '') ?? []
  return position === undefined ? 'The body is not valid JSON' : `The body is not valid JSON at character ${position}`
}

/** Scans the JSON outside strings for its nesting depth and for numbers that a double cannot represent. */
function lookThrough(text: string): { isTooDeep: boolean; hasInfinity: boolean; hasBentNumber: boolean } {
  const found = { isTooDeep: false, hasInfinity: false, hasBentNumber: false }
  let depth = 0
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === 0x22) at = endOfText(text, at)
    else if (code === 0x2d || (code >= 0x30 && code <= 0x39)) {
      const { end, hasExponent } = endOfNumber(text, at)
      const literal = hasExponent || end - at >= MANY_CHARACTERS ? text.slice(at, end) : null
      at = end - 1
      if (literal === null) continue
      const value = Number(literal)
      if (!Number.isFinite(value)) found.hasInfinity = true
      else if (!isHeld(literal, value)) found.hasBentNumber = true
    } else if (code === 0x5b || code === 0x7b) {
      depth += 1
      if (depth > MAX_DEPTH) return { ...found, isTooDeep: true }
    } else if (code === 0x5d || code === 0x7d) depth -= 1
  }
  return found
}

/** Finds the end of the number (or invalid token) that starts here. */
function endOfNumber(text: string, start: number): { end: number; hasExponent: boolean } {
  let end = start + 1
  let hasExponent = false
  for (; ; end += 1) {
    const code = text.charCodeAt(end)
    if (!isOfNumber(code)) return { end, hasExponent }
    hasExponent ||= code === 0x45 || code === 0x65
  }
}

function isOfNumber(code: number): boolean {
  return (
    (code >= 0x30 && code <= 0x39) || code === 0x2e || code === 0x45 || code === 0x65 || code === 0x2b || code === 0x2d
  )
}

/** Finds the end of the string that starts here. Most of a body is strings, so they have a loop of their own. */
function endOfText(text: string, start: number): number {
  let at = start + 1
  for (; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === 0x22) break
    if (code === 0x5c) at += 1
  }
  return at
}

/** The names and array indexes that lead to a value, from the outside in. */
type Path = (string | number)[]

/** Finds a string or number that could not be stored exactly, and returns a message about it. */
function bentValue(value: SentJson, path: Path): string | null {
  if (typeof value === 'string') return textFault(value, path)
  if (typeof value === 'number') return Number.isFinite(value) ? null : `A number at ${shown(path)} is too large`
  if (typeof value !== 'object' || value === null) return null
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at += 1) {
      const fault = bentMember(value[at], at, path)
      if (fault) return fault
    }
    return null
  }
  for (const name of Object.keys(value)) {
    const fault = textFault(name, path) ?? bentMember((value as Record<string, SentJson>)[name], name, path)
    if (fault) return fault
  }
  return null
}

function bentMember(member: SentJson, name: string | number, path: Path): string | null {
  path.push(name)
  const fault = bentValue(member, path)
  path.pop()
  return fault
}

function textFault(text: string, path: Path): string | null {
  if (text.includes('\0')) return `A string at ${shown(path)} contains U+0000`
  return text.isWellFormed() ? null : `A string at ${shown(path)} contains a lone surrogate`
}

/** Renders a path for a message. It stops at the first name chosen by the client, which is not repeated. */
function shown(path: Path): string {
  const isOurs = (name: string | number) =>
    typeof name === 'number' || name === 'employees' || Object.hasOwn(ATTRIBUTE_RULES, name)
  const end = path.findIndex((name) => !isOurs(name))
  const known = end === -1 ? path : path.slice(0, end)
  return known.length === 0 ? 'the top level' : `/${known.join('/')}`
}

const BENT_NUMBER = 'A number in the body has too many digits for a double, or is too close to zero'

/** Whether a double keeps a number. Fractions may be rounded; integers must be exact, and only zero may become zero. */
function isHeld(literal: string, value: number): boolean {
  if (!WHOLE_NUMBER.test(literal)) return value !== 0 || ZERO.test(literal)
  // The shortest digits of a double may differ from its exact value, but they round-trip.
  return String(value) === literal || BigInt(literal) === BigInt(value)
}

function refusal(code: ProblemCode, detail: string): ProblemError {
  return new ProblemError(problem(code, detail))
}
