import { trimBlanks } from '../text/normalize-text.ts'
/*
 * Values in the cells of a CSV file that people edit in a spreadsheet. A spreadsheet changes what it takes for a
 * formula, a number, or a date: +4915112345678 becomes 4.9E+12, and 00123 becomes 123. Such a text has an apostrophe in
 * front, which is removed when the file is read. What a cell cannot show as it is, such as an object, is written as
 * JSON behind a mark.
 */

/** The cell of null, which clears an attribute. An empty cell is an absent attribute. */
const EMPTY = '(empty)'

/** Begins a cell whose value is JSON. */
export const JSON_MARK = '(json) '

/**
 * What a spreadsheet takes for a formula, including the full-width forms, or shows for one that fails; and what programs
 * for directories write: see `readHex`.
 */
const FORMULA = /^(?:[=+\-@\t\r\n＝＋－＠#]|X')/
/** Numbers, dates, times, and amounts. */
const NUMERIC = /^[\s([$€£¥.,]*\p{Nd}/u
/** A word and a number, such as Sept 2 or MAR1. */
const MONTH = /^\p{L}{3,}[\s.,/-]*\p{Nd}{1,4}(?:[\s.,/-]+\p{Nd}{1,4})?$/u
const BOOLEAN = /^(?:true|false)$/i
/**
 * Of larger numbers, a spreadsheet keeps the first 15 digits. A fraction is a date where the decimal sign is a comma.
 */
const WHOLE_NUMBER = /^-?(?:0|[1-9][0-9]{0,14})$/

/** Writes a text. */
export function writeText(text: string): string {
  if (trimBlanks(text) === '' || text.startsWith("'") || text === EMPTY || text.startsWith(JSON_MARK)) return `'${text}`
  return FORMULA.test(text) || NUMERIC.test(text) || MONTH.test(text) || BOOLEAN.test(text) ? `'${text}` : text
}

/** Makes a cell of a file safe in a spreadsheet, without changing what it is read as. */
export function keepSafe(cell: string): string {
  return FORMULA.test(cell) && !isNumber(cell) ? `'${cell}` : cell
}

/** Writes the value of an attribute, which is a text unless it is wrong. */
export function writeAttribute(value: unknown): string {
  if (typeof value === 'string') return writeText(value)
  return value === null ? EMPTY : writeJson(value)
}

/** Writes the value of a custom attribute, which may be a number or a boolean. */
export function writeCustomAttribute(value: unknown): string {
  if (typeof value === 'boolean') return String(value)
  if (typeof value === 'number' && WHOLE_NUMBER.test(String(value))) return String(value)
  return writeAttribute(value)
}

/** Writes any JSON value as JSON. */
export function writeJson(value: unknown): string {
  return `${JSON_MARK}${JSON.stringify(value)}`
}

/** The value of a cell: a text, or JSON that is none; or what is wrong with it. */
type CellReading =
  | { text: string; json: string; fault?: undefined }
  | { text?: undefined; json: string; fault?: undefined }
  | { text?: undefined; json?: undefined; fault: string }

/** What a spreadsheet makes of long numbers, of formulas that fail, and of cells that are too narrow. */
const SCIENTIFIC = /^[+-]?[0-9](?:[.,][0-9]+)?E[+-]?[0-9]+$/i
const SPREADSHEET_ERROR = /^(?:#(?:\p{L}\/\p{L}|NV|\S{1,12}[!?])|Err:\d{3})$/u
const HIDDEN_BY_WIDTH = /^##+$/

/** What systems write where there is nothing. A word may be a name. */
const NOTHING = /^(?:[.–—-]{1,3}|n\/a|none|nil|nan|undefined|\\N|[(<[]?null[)>\]]?|0{1,4}[-./]0{1,2}[-./]0{1,4})$/i

/** Whether a text is what a spreadsheet shows for a formula that fails. */
export const isError = (text: string) => SPREADSHEET_ERROR.test(trimBlanks(text))

/** Whether a text stands for nothing, as systems write it. */
export const isNothing = (text: string) => NOTHING.test(trimBlanks(text))

/** A formula that only keeps a spreadsheet from changing a text: ="00123". */
const TEXT_FORMULA = /^="((?:[^"]|"")*)"$/

const HEX = /^X'((?:[0-9a-f]{2}){1,2048})'$/i
const UTF8 = new TextDecoder('utf-8', { fatal: true })

/** Reads a text as programs for directories (LDAP) write it if it has other letters than ASCII: X'c389' is É. */
export function readHex(cell: string): string {
  const hex = cell.startsWith("X'") ? HEX.exec(cell)?.[1] : undefined
  if (hex === undefined) return cell
  try {
    const text = UTF8.decode(Buffer.from(hex, 'hex'))
    return /\p{Cc}/u.test(text) ? cell : text
  } catch {
    return cell
  }
}

/** The longest address that is looked at, with what programs write around it. */
const MAX_ADDRESS = 512
const IN_BRACKETS = /^[^<>]*<([^<>@]+@[^<>@]+)>\s*$/

/** Reads an email address as programs for mail write it: "Ana Perez <ana@example.com>", "mailto:ana@example.com". */
export function readAddress(text: string): string {
  const inner = text.length > MAX_ADDRESS ? undefined : IN_BRACKETS.exec(text)?.[1]
  return inner ?? trimBlanks(text).replace(/^mailto:/i, '')
}

/** Reads the cell of an attribute, which is not empty. */
export function readAttribute(cell: string): CellReading {
  // An apostrophe may be the first letter of a name: 't Hooft.
  if (cell.startsWith("'") && writeText(cell.slice(1)) === cell) return ofText(cell.slice(1))
  if (cell === EMPTY) return { json: 'null' }
  if (cell.startsWith(JSON_MARK)) return readJson(cell.slice(JSON_MARK.length))
  if (SCIENTIFIC.test(cell))
    return {
      fault:
        'was shortened by a spreadsheet. Format the column as text there, enter the number again, and export the file again',
    }
  if (isError(cell) || HIDDEN_BY_WIDTH.test(cell))
    return { fault: 'is an error of the spreadsheet. Correct its formula, and export the file again' }
  return ofText(TEXT_FORMULA.exec(cell)?.[1]?.replaceAll('""', '"') ?? cell)
}

function ofText(text: string): CellReading {
  return { text, json: JSON.stringify(text) }
}

/** Reads the cell of a custom attribute, which is not empty: a number or boolean if it is written like one. */
export function readCustomAttribute(cell: string): CellReading {
  if (/^(?:true|false)$/i.test(cell)) return { json: cell.toLowerCase() }
  return isNumber(cell) ? { json: cell } : readAttribute(cell)
}

/** The characters of a cell that a message shows. */
const MAX_SHOWN = 40
/** Characters that cannot be seen, and blanks that look like others. */
const INVISIBLE = /[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/gu

/** Shows what a cell contains, with a name for what cannot be seen. */
export function showCell(cell: string): string {
  const shown = [...cell.slice(0, 2 * MAX_SHOWN)].slice(0, MAX_SHOWN).join('')
  const visible = shown.replaceAll(
    INVISIBLE,
    (character) => `\u27e8U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}\u27e9`,
  )
  return `"${visible}${shown.length < cell.length ? '…' : ''}"`
}

/** Whether a text is a number as JSON writes it, so that nothing of it is lost. */
function isNumber(text: string): boolean {
  return /^-?[0-9]+(?:\.[0-9]+)?$/.test(text) && String(Number(text)) === text
}

/** Reads the name of a column. */
export function readName(cell: string): string {
  return cell.startsWith("'") ? cell.slice(1) : cell
}

/** The depth of the JSON in a cell, as of a record in a call. */
const MAX_DEPTH = 32

function readJson(text: string): CellReading {
  try {
    const isTooDeep = isDeeper(JSON.parse(text), MAX_DEPTH)
    // As it is written: a parser would keep one of several members with the same name, and round long numbers.
    return isTooDeep ? { fault: `has JSON of more than ${MAX_DEPTH} levels` } : { json: text }
  } catch {
    return { fault: `has no valid JSON after ${trimBlanks(JSON_MARK)}` }
  }
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((member) => isDeeper(member, levels - 1))
}
