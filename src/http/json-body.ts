import { parse } from 'secure-json-parse'
import type { ProblemCode } from '../domain/errors.ts'
import { jsonPointer, problem } from '../domain/errors.ts'
import type { SentJson } from '../domain/events.ts'
import { ProblemError } from './problem.ts'

/** Levels of objects and arrays that a body may have. */
export const MAX_DEPTH = 32

const UTF8 = new TextDecoder('utf-8', { fatal: true })
/** Without one of these nothing in a body can be bent: a long run of digits, an exponent, an escaped code unit. */
const SUSPICIOUS = /[0-9]{16}|[0-9][eE]|\\u/
const INTEGER = /^-?[0-9]+$/

/**
 * Reads a body as JSON (RFC 8259) and refuses what PostgreSQL or JSON would bend on its way: invalid UTF-8, members
 * named `__proto__`, depth, U+0000, lone surrogates, numbers that a double does not hold.
 * Throws ProblemError with `malformed_json` or `invalid_body`.
 */
export function parseJsonBody(bytes: Buffer): SentJson {
  const text = decode(bytes)
  // Before parsing: a parser that recurses would run out of stack on a body that is nothing but brackets.
  if (isDeeperThan(text, MAX_DEPTH)) throw refusal('malformed_json', `the body is nested deeper than ${MAX_DEPTH} levels`)
  const body = parseText(text)
  const fault = SUSPICIOUS.test(text) ? (bentText(body, []) ?? bentInteger(text)) : null
  if (fault) throw refusal('invalid_body', fault)
  return body
}

function decode(bytes: Buffer): string {
  if (bytes.length === 0) throw refusal('malformed_json', 'the body is empty')
  try {
    return UTF8.decode(bytes)
  } catch {
    throw refusal('malformed_json', 'the body is not valid UTF-8')
  }
}

function parseText(text: string): SentJson {
  try {
    return parse(text, null, { protoAction: 'error', constructorAction: 'ignore' })
  } catch (error) {
    const isProto = error instanceof SyntaxError && error.message.includes('forbidden prototype')
    throw refusal('malformed_json', isProto ? 'a member is named __proto__' : syntaxDetail(error))
  }
}

/** V8 quotes the body in its message; only the place is told. */
function syntaxDetail(error: unknown): string {
  const [, position] = /position (\d+)/.exec(error instanceof Error ? error.message : '') ?? []
  return position === undefined ? 'the body is not well-formed JSON' : `the body is not well-formed JSON at character ${position}`
}

function isDeeperThan(text: string, max: number): boolean {
  let depth = 0
  let inString = false
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (inString) {
      if (code === 0x5c) at += 1
      else if (code === 0x22) inString = false
    } else if (code === 0x22) inString = true
    else if (code === 0x5b || code === 0x7b) {
      depth += 1
      if (depth > max) return true
    } else if (code === 0x5d || code === 0x7d) depth -= 1
  }
  return false
}

/** Finds a text or a number that would not come back as it was sent. */
function bentText(value: SentJson, path: readonly string[]): string | null {
  if (typeof value === 'string') return textFault(value, path)
  if (typeof value === 'number') return Number.isFinite(value) ? null : `the number at ${place(path)} is too large`
  if (typeof value !== 'object' || value === null) return null
  for (const [name, member] of Object.entries(value)) {
    const fault = textFault(name, path) ?? bentText(member, [...path, name])
    if (fault) return fault
  }
  return null
}

function textFault(text: string, path: readonly string[]): string | null {
  if (text.includes('\0')) return `the text at ${place(path)} contains U+0000`
  return text.isWellFormed() ? null : `the text at ${place(path)} contains a lone surrogate`
}

/** Finds an integer literal that a double rounds, by the literals as they stand in the text. */
function bentInteger(text: string): string | null {
  let found = false
  JSON.parse(text, ((_: string, value: unknown, context?: { source?: string }) => {
    const source = context?.source
    if (typeof value === 'number' && source !== undefined && INTEGER.test(source)) {
      found ||= BigInt(source) !== BigInt(value)
    }
    return value
  }) as (key: string, value: unknown) => unknown)
  return found ? 'a whole number of the body has more digits than a double holds' : null
}

function place(path: readonly string[]): string {
  return path.length === 0 ? 'the top level' : jsonPointer('', path)
}

function refusal(code: ProblemCode, detail: string): ProblemError {
  return new ProblemError(problem(code, detail))
}
