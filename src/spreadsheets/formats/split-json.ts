import { FileError } from '../file-error.ts'

/** An element of a JSON file, as it is written, and the line on which it begins, from 1. */
export interface JsonElement {
  line: number
  json: string
}

/** The characters of a record: several times what valid records can have. */
const MAX_ELEMENT = 262_144
/** The characters before the list, and those behind it. */
const MAX_AROUND = 65_536

const NO_LIST = 'The file must be a list of employees, or an object with the list "employees"'
/** Lists that say something about the records, such as the names of their fields. */
const NO_RECORDS: ReadonlySet<string> = new Set(['schemas', 'fields', 'columns', 'links', 'errors', 'meta', '@context'])

/**
 * Splits a JSON file with a list of employees into its elements, which stay as they are written, so that the service
 * judges the very text. The file is the list, or an object that contains it, at most six levels deep, or has a record
 * on each line. Yields the elements that end in each chunk of the text, and holds one element and one chunk at a time.
 * Whether an element is JSON is left to the reader. Returns the object around the list, with an empty one in its place.
 * Throws FileError.
 */
export async function* splitJson(texts: AsyncIterable<string>): AsyncGenerator<JsonElement[], unknown> {
  let start = ''
  let splitter: Splitter | LineSplitter | null = null
  for await (const text of texts) {
    if (!splitter) {
      start += text
      const isLines = beginsLines(start)
      if (isLines === null && start.length <= MAX_ELEMENT) continue
      splitter = isLines === true ? new LineSplitter() : new Splitter()
      yield splitter.push(start)
    } else yield splitter.push(text)
  }
  if (!splitter) {
    splitter = new Splitter()
    yield splitter.push(start)
  }
  if (splitter instanceof Splitter) return splitter.end()
  yield splitter.push('\n')
  return undefined
}

/** Whether each line of a file is a record, as its first two show; null before these have come. */
function beginsLines(start: string): boolean | null {
  const text = start.trimStart()
  if (text !== '' && !text.startsWith('{')) return false
  const end = text.search(/[\r\n]/)
  const next = end === -1 ? '' : text.slice(end).trimStart()
  if (next === '') return null
  if (!next.startsWith('{')) return false
  try {
    JSON.parse(text.slice(0, end))
    return true
  } catch {
    return false
  }
}

/** Splits a file of which each line is a record. */
class LineSplitter {
  #rest = ''
  #line = 1

  push(text: string): JsonElement[] {
    const lines = text.split('\n')
    lines[0] = this.#rest + lines[0]!
    this.#rest = lines.pop()!
    const first = this.#line
    this.#line += lines.length
    if (this.#rest.length > MAX_ELEMENT) throw tooLong(this.#line)
    return lines.flatMap((json, at) => (json.trim() === '' ? [] : [{ line: first + at, json: json.trim() }]))
  }
}

function tooLong(line: number): FileError {
  return new FileError(line, `The record that begins here has more than ${MAX_ELEMENT} characters`)
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const [OPENING_BRACKET, CLOSING_BRACKET] = [0x5b, 0x5d]
const [OPENING_BRACE, CLOSING_BRACE] = [0x7b, 0x7d]
const [TAB, LF, CR, SPACE] = [0x09, 0x0a, 0x0d, 0x20]

/** Whether JSON allows it between values. */
function isBlank(code: number): boolean {
  return code === SPACE || code === LF || code === CR || code === TAB
}

/** The name of a list in an object: the text before it ends with a name and a colon. */
const MAX_NAMED = 128
const NAMED = /"((?:[^"\\]|\\.){0,64})"\s*:\s*$/
const MAX_LEVELS = 6
/** The levels of a record: many times what valid records can have. */
const MAX_DEPTH = 1_000

class Splitter {
  #place: 'before' | 'in' | 'after' = 'before'
  #line = 1
  #opening = ''
  /** The end of the chunk before this one, which may have the beginning of a name. */
  #chunkBefore = ''
  #closing = ''
  /** What earlier chunks have of the element, without blanks before it. */
  #element = ''
  #elementLine = 1
  #hasElements = false
  /** The objects and arrays that are open in the element, or before the list. */
  #depth = 0
  /** The lists without records that are open before the list. */
  #skipped = 0
  /** Whether a list has begun that is the right one if a record follows. */
  #isPerhapsList = false
  #isInString = false
  /** Whether the character before was a backslash in a string. */
  #isEscaped = false
  #isAfterCr = false

  push(text: string): JsonElement[] {
    const elements: JsonElement[] = []
    let start = 0
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at)
      if (code === CR || (code === LF && !this.#isAfterCr)) this.#line += 1
      this.#isAfterCr = code === CR
      if (this.#place === 'before' && this.#hasRecord(code)) start = at
      if (this.#place === 'after') this.#closing += text.charAt(at)
      else if (this.#place === 'before') this.#opening += text.charAt(at)
      if (this.#opening.length + this.#closing.length > MAX_AROUND)
        throw new FileError(this.#line, this.#place === 'after' ? 'Something else follows the list' : NO_LIST)
      if (this.#place === 'after') continue
      if (this.#isInString) {
        if (this.#isEscaped) this.#isEscaped = false
        else if (code === BACKSLASH) this.#isEscaped = true
        else if (code === QUOTE) this.#isInString = false
      } else if (this.#place === 'before') {
        const before = text.slice(Math.max(0, at - MAX_NAMED), at)
        if (this.#open(code, before)) start = at + 1
      } else if (this.#depth === 0 && (code === COMMA || code === CLOSING_BRACKET)) {
        const element = this.#take(text.slice(start, at))
        if (code === COMMA || this.#hasElements || element.json !== '') elements.push(element)
        this.#hasElements = true
        start = at + 1
        if (code === CLOSING_BRACKET) {
          this.#place = 'after'
          this.#closing = ']'
        }
      } else if (isBlank(code) && start === at && this.#element === '') start = at + 1
      else {
        if (start === at && this.#element === '') this.#elementLine = this.#line
        if (code === QUOTE) this.#isInString = true
        else if (code === OPENING_BRACE || code === OPENING_BRACKET) this.#depth += 1
        else if (code === CLOSING_BRACE || code === CLOSING_BRACKET) this.#depth -= 1
        if (this.#depth < 0 || this.#depth > MAX_DEPTH)
          throw new FileError(this.#line, 'The record that begins here is not valid JSON')
      }
    }
    if (this.#place === 'in') this.#append(text.slice(start))
    this.#chunkBefore = text.slice(-MAX_NAMED)
    return elements
  }

  end(): unknown {
    if (this.#place === 'before') throw new FileError(1, NO_LIST)
    if (this.#place === 'in') throw new FileError(this.#line, 'The list does not end')
    try {
      return JSON.parse(this.#opening + this.#closing)
    } catch {
      throw new FileError(this.#line, 'Something else follows the list')
    }
  }

  /** Looks at a character before the list, outside of strings, and at the text before it in its chunk. Returns whether the list begins with it. */
  #open(code: number, before: string): boolean {
    if (code === QUOTE) this.#isInString = true
    else if (code === OPENING_BRACKET) {
      const name = NAMED.exec((this.#chunkBefore + before).slice(-MAX_NAMED))?.[1]
      if (this.#skipped === 0 && (this.#depth === 0 || (this.#depth === 1 && name === 'employees'))) {
        this.#begin()
        return true
      }
      this.#isPerhapsList =
        this.#skipped === 0 && name !== undefined && !NO_RECORDS.has(name) && this.#depth <= MAX_LEVELS
      this.#skipped += 1
    } else if (code === CLOSING_BRACKET) this.#skipped -= 1
    else if (code === OPENING_BRACE) this.#depth += 1
    else if (code === CLOSING_BRACE) this.#depth -= 1
    return false
  }

  /** Whether a character is the beginning of the first record, in a list that may be the right one. */
  #hasRecord(code: number): boolean {
    if (!this.#isPerhapsList || isBlank(code)) return false
    this.#isPerhapsList = false
    // A row is a list of cells.
    const isRecord = code === OPENING_BRACE || code === OPENING_BRACKET
    if (isRecord) this.#begin()
    return isRecord
  }

  #begin(): void {
    this.#depth = 0
    this.#place = 'in'
  }

  #append(rest: string): void {
    this.#element += rest
    if (this.#element.length > MAX_ELEMENT) throw tooLong(this.#elementLine)
  }

  #take(rest: string): JsonElement {
    this.#append(rest)
    const json = this.#element.trimEnd()
    this.#element = ''
    return { line: json === '' ? this.#line : this.#elementLine, json }
  }
}
