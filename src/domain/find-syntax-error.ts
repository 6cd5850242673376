/** What may come next; after `first element` and `first name` also the end of the array or object. */
type Expected = 'value' | 'first element' | 'name' | 'first name' | 'colon' | 'comma or end'

const SPACE = /[ \t\n\r]*/y
const LITERALS: Record<string, string> = { t: 'true', f: 'false', n: 'null' }
/** As much as may be the beginning of a number. */
const NUMBER_BEGUN = /-?(?:(?:0|[1-9]\d*)(?:\.(?:\d+(?:[eE][+-]?\d*)?)?|[eE][+-]?\d*)?)?/y
const ESCAPED = '"\\/bfnrt'
const CLOSING: Record<string, string> = { '{': '}', '[': ']' }

/**
 * Finds where a text stops being JSON (RFC 8259): the index of the first character with which no JSON can go on, or the
 * length of the text if only its end is missing. Null if it is JSON. V8 names the place of some errors only.
 */
export function findSyntaxError(text: string): number | null {
  const open: string[] = []
  let expected: Expected = 'value'
  for (let at = skip(SPACE, text, 0); at < text.length; at = skip(SPACE, text, at)) {
    const char = text[at]!
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
      const { end, isWhole } = readString(text, at)
      if (!isWhole) return end
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

function skip(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at
  return at + (pattern.exec(text)?.[0].length ?? 0)
}

function readString(text: string, start: number): Token {
  for (let at = start + 1; at < text.length; at += 1) {
    const char = text[at]!
    if (char === '"') return { end: at + 1, isWhole: true }
    if (char < ' ') return { end: at, isWhole: false }
    if (char !== '\\') continue
    at += 1
    if (text[at] === 'u') {
      for (const last = at + 4; at < last; at += 1)
        if (!/^[0-9a-fA-F]$/.test(text[at + 1] ?? '')) return { end: Math.min(at + 1, text.length), isWhole: false }
    } else if (at < text.length && !ESCAPED.includes(text[at]!)) return { end: at, isWhole: false }
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
