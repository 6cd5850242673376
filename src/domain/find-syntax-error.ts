import type { Pieces } from './pieces.ts'

/** What may come next; after `first element` and `first name` also the end of the array or object. */
type Expected = 'value' | 'first element' | 'name' | 'first name' | 'colon' | 'comma or end'

/** White space, a portion at most. */
const SPACE = /[ \t\n\r]{0,65536}/y
const IS_SPACE = /[ \t\n\r]/
const LITERALS: Record<string, string> = { t: 'true', f: 'false', n: 'null' }
/** As much as may be the beginning of a number. */
const NUMBER_BEGUN = /-?(?:(?:0|[1-9]\d*)(?:\.(?:\d+(?:[eE][+-]?\d*)?)?|[eE][+-]?\d*)?)?/y
const ESCAPED = '"\\/bfnrt'
const CLOSING: Record<string, string> = { '{': '}', '[': ']' }

/** How far a text was checked before a pause, in characters. */
const PORTION = 16_384

/**
 * Finds where a text stops being JSON (RFC 8259): the index of the first character with which no JSON can go on, or the
 * length of the text if only its end is missing. Null if it is JSON. V8 names the place of some errors only.
 *
 * Works in portions of a text. `onName` is called for each name of the outermost object, with where it begins and ends.
 */
export function* findSyntaxError(text: string, onName?: (start: number, end: number) => void): Pieces<number | null> {
  const open: string[] = []
  let expected: Expected = 'value'
  let pauseAt = PORTION
  for (let at = skip(SPACE, text, 0); at < text.length; at = skip(SPACE, text, at)) {
    if (at > pauseAt) {
      yield
      pauseAt = at + PORTION
    }
    const char = text[at]!
    if (IS_SPACE.test(char)) continue
    const container = open.at(-1)
    const mayClose = expected === 'comma or end' || expected.startsWith('first')
    const isName = expected.endsWith('name')
    if (container !== undefined && mayClose && char === CLOSING[container]) {
      open.pop()
      expected = 'comma or end'
      at += 1
    } else if (expected === 'comma or end') {
      if (container === undefined || char !== ',') return at
      expected = container === '{' ? 'name' : 'value'
      at += 1
    } else if (expected === 'colon') {
      if (char !== ':') return at
      expected = 'value'
      at += 1
    } else if (char === '"') {
      const { end, isWhole } = yield* readString(text, at)
      if (!isWhole) return end
      if (isName && open.length === 1) onName?.(at, end)
      expected = isName ? 'colon' : 'comma or end'
      at = end
    } else if (isName) return at
    else if (char === '{' || char === '[') {
      open.push(char)
      expected = char === '{' ? 'first name' : 'first element'
      at += 1
    } else {
      const { end, isWhole } = readScalar(text, at)
      if (!isWhole) return end
      expected = 'comma or end'
      at = end
    }
  }
  return open.length === 0 && expected === 'comma or end' ? null : text.length
}

/** How far a token goes, and whether it is complete. */
interface Token {
  end: number
  isWhole: boolean
}

function skip(pattern: RegExp, text: string, at: number) {
  pattern.lastIndex = at
  return at + (pattern.exec(text)?.[0].length ?? 0)
}

/** Characters that stand for themselves, a portion at most. */
const PLAIN = /[ !#-[\]-\uffff]{0,65536}/y
const UNICODE_ESCAPE = /\\u[0-9a-fA-F]{0,4}/y
const UNICODE_ESCAPE_LENGTH = 6

function* readString(text: string, start: number): Pieces<Token> {
  let pauseAt = start + PORTION
  for (let at = skip(PLAIN, text, start + 1); at < text.length; at = skip(PLAIN, text, at)) {
    if (at > pauseAt) {
      yield
      pauseAt = at + PORTION
    }
    const char = text[at]!
    if (char === '"') return { end: at + 1, isWhole: true }
    if (char < ' ') return { end: at, isWhole: false }
    if (char !== '\\') {
      at += 1
      continue
    }
    if (text[at + 1] === 'u') {
      const end = skip(UNICODE_ESCAPE, text, at)
      if (end < at + UNICODE_ESCAPE_LENGTH) return { end, isWhole: false }
      at = end
    } else if (at + 1 < text.length && !ESCAPED.includes(text[at + 1]!)) return { end: at + 1, isWhole: false }
    else at += 2
  }
  return { end: text.length, isWhole: false }
}

/** Reads a number, `true`, `false` or `null`. */
function readScalar(text: string, start: number): Token {
  const literal = LITERALS[text[start]!]
  if (literal !== undefined) {
    let length = 1
    while (length < literal.length && text[start + length] === literal[length]) length += 1
    return { end: start + length, isWhole: length === literal.length }
  }
  const end = skip(NUMBER_BEGUN, text, start)
  return { end, isWhole: end > start && /\d/.test(text[end - 1]!) }
}
