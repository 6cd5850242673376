import { FileError } from '../spreadsheets/file-error.ts'

/** An element of a JSON file, as it is written, and the line on which it begins, from 1. */
interface JsonElement {
  line: number
  json: string
}

/** The characters of a record: several times what valid records can have. */
const MAX_ELEMENT = 262_144
/** The characters before the list, and those behind it. */
const MAX_AROUND = 1_024

const OPENING = /^\s*(?:\{\s*"employees"\s*:\s*)?\[$/
const NO_LIST = 'The file must be a list of employees, or an object with the list "employees"'
const NO_JSON = 'The record that begins here is not valid JSON'

/**
 * Splits a JSON file with a list of employees into its elements, which stay as they are written, so that the service
 * judges the very text. Holds one element and one chunk of the text at a time. Throws FileError.
 */
export async function* splitJson(chunks: AsyncIterable<string> | Iterable<string>): AsyncGenerator<JsonElement, void> {
  let place: 'before' | 'in' | 'after' = 'before'
  let line = 1
  let opening = ''
  let closing = ''
  let element = createElement()
  let hasElements = false
  for await (const chunk of chunks) {
    for (const character of chunk) {
      if (character === '\n') line += 1
      if (place === 'before') {
        opening += character
        if (character === '[' ? !OPENING.test(opening) : opening.length > MAX_AROUND) throw new FileError(1, NO_LIST)
        if (character === '[') place = 'in'
      } else if (place === 'after') {
        if (!isSpace(character)) closing += character
        if (closing.length > MAX_AROUND) break
      } else if (isEnd(element, character)) {
        if (character === ',' || hasElements || element.json !== '') yield finish(element, line)
        hasElements = true
        element = createElement()
        if (character === ']') place = 'after'
      } else if (element.json !== '' || !isSpace(character)) addCharacter(element, character, line)
    }
  }
  if (place === 'before') throw new FileError(1, NO_LIST)
  if (place === 'in') throw new FileError(line, 'The list does not end')
  if (closing !== (opening.includes('{') ? '}' : '')) throw new FileError(line, 'Something else follows the list')
}

/** An element that is being read. */
interface OpenElement extends JsonElement {
  /** The objects and arrays that are open. */
  depth: number
  isInString: boolean
  /** Whether the character before was a backslash in a string. */
  isEscaped: boolean
}

function createElement(): OpenElement {
  return { line: 0, json: '', depth: 0, isInString: false, isEscaped: false }
}

function isEnd({ depth, isInString }: OpenElement, character: string): boolean {
  return !isInString && depth === 0 && (character === ',' || character === ']')
}

function addCharacter(element: OpenElement, character: string, line: number): void {
  if (element.json === '') element.line = line
  element.json += character
  if (element.json.length > MAX_ELEMENT)
    throw new FileError(element.line, `The record that begins here has more than ${MAX_ELEMENT} characters`)
  if (element.isEscaped) element.isEscaped = false
  else if (character === '"') element.isInString = !element.isInString
  else if (element.isInString) element.isEscaped = character === '\\'
  else if (character === '{' || character === '[') element.depth += 1
  else if (character === '}' || character === ']') element.depth -= 1
  if (element.depth < 0) throw new FileError(line, NO_JSON)
}

function finish(element: OpenElement, line: number): JsonElement {
  const json = element.json.trimEnd()
  try {
    JSON.parse(json)
  } catch {
    throw new FileError(json === '' ? line : element.line, NO_JSON)
  }
  return { line: element.line, json }
}

function isSpace(character: string): boolean {
  return character === ' ' || character === '\n' || character === '\r' || character === '\t'
}
