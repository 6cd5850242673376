/** A member that occurs twice in its object. */
export class DuplicateMemberError extends Error {
  override name = 'DuplicateMemberError'
  /** The names and indexes that lead to it, from the outside in. */
  readonly path: (string | number)[]
  /** The index of the character at which its name begins again. */
  readonly at: number

  constructor(path: (string | number)[], at: number) {
    super('a member occurs twice')
    this.path = path
    this.at = at
  }
}

/** The last escape of a name, and the colon behind it; rarely, a value has the same text. */
const ESCAPED_NAME = /\\.[^"\\]*"\s*:/s

/**
 * Parses JSON (RFC 8259) in which a client may have chosen names. Throws SyntaxError for any other text.
 *
 * V8 takes a name with an escape for another one that it has met after the same names, if that begins as the escape is
 * written: once it has parsed `{"a":1,"\\":2}`, it reads the name `"\n"` in `{"a":1,"\n":2}` as a backslash. So one
 * company could alter the names of another. Therefore text with such names is not left to it.
 */
export function parseJson(text: string): unknown {
  return hasEscapedName(text) ? parseStrictly(text) : JSON.parse(text)
}

/** Whether JSON has a name with an escape. */
export function hasEscapedName(text: string): boolean {
  return text.includes('\\') && ESCAPED_NAME.test(text)
}

/**
 * Parses JSON without relying on V8 for names, which takes several times as long. Throws SyntaxError for any other text,
 * and DuplicateMemberError for several members of one name. Its depth must be bounded.
 */
export function parseStrictly(text: string): unknown {
  // Throws unless it is JSON, so the rest need not check that.
  JSON.parse(text)
  return readValue({ text, at: 0, path: [] })
}

/** A text that is known to be JSON, and how far it is read. */
interface Source {
  text: string
  at: number
  path: (string | number)[]
}

const NUMBER_OR_WORD = /[-+.\w]+/y

function readValue(source: Source): unknown {
  switch (skipSpace(source)) {
    case '{':
      return readObject(source)
    case '[':
      return readArray(source)
    case '"':
      return readString(source)
    case undefined:
    default: {
      NUMBER_OR_WORD.lastIndex = source.at
      const [literal] = NUMBER_OR_WORD.exec(source.text)!
      source.at += literal.length
      return JSON.parse(literal)
    }
  }
}

const OWN = { configurable: true, enumerable: true, writable: true }

function readObject(source: Source): object {
  const members: Record<string, unknown> = {}
  source.at += 1
  while (skipSpace(source) !== '}') {
    const { at } = source
    const name = readString(source)
    if (Object.hasOwn(members, name)) throw new DuplicateMemberError([...source.path, name], at)
    skipSpace(source)
    // The colon.
    source.at += 1
    source.path.push(name)
    const value = readValue(source)
    // In an assignment, it would set the prototype.
    if (name === '__proto__') Object.defineProperty(members, name, { ...OWN, value })
    else members[name] = value
    source.path.pop()
    skipComma(source)
  }
  source.at += 1
  return members
}

function readArray(source: Source) {
  const elements: unknown[] = []
  source.at += 1
  while (skipSpace(source) !== ']') {
    source.path.push(elements.length)
    elements.push(readValue(source))
    source.path.pop()
    skipComma(source)
  }
  source.at += 1
  return elements
}

function readString(source: Source) {
  const { text, at: start } = source
  let end = start + 1
  let hasEscape = false
  for (; text[end] !== '"'; end += 1) {
    if (text[end] !== '\\') continue
    hasEscape = true
    end += 1
  }
  source.at = end + 1
  return hasEscape ? (JSON.parse(text.slice(start, end + 1)) as string) : text.slice(start + 1, end)
}

function skipComma(source: Source) {
  if (skipSpace(source) === ',') source.at += 1
}

/** Skips white space, and returns the character after it. */
function skipSpace(source: Source) {
  const { text } = source
  while (text.charCodeAt(source.at) <= 0x20) source.at += 1
  return text[source.at]
}

/** Whether a JSON value is an object and not an array. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Whether a JSON object has more members than a limit. Stops counting there. */
export function hasMoreMembersThan(object: object, limit: number): boolean {
  let count = 0
  // What a prototype may add counts too: parsed JSON has nothing there.
  for (const _ in object) {
    count += 1
    if (count > limit) return true
  }
  return false
}

/** As many names are sorted faster one by one than by `sort`, which takes longer than the rest of reading them. */
const FEW_NAMES = 32

/** Sorts the names of members in place, by their UTF-16 code units. */
export function sortNames(names: string[]): string[] {
  if (names.length > FEW_NAMES) return names.sort()
  for (let next = 1; next < names.length; next += 1)
    for (let at = next; at > 0 && names[at]! < names[at - 1]!; at -= 1)
      [names[at - 1], names[at]] = [names[at]!, names[at - 1]!]
  return names
}
