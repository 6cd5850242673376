/*
 * Values in the cells of a CSV file that people edit in a spreadsheet. A spreadsheet changes what it takes for a
 * formula, a number, or a date: +4915112345678 becomes 4.9E+12, and 00123 becomes 123. Such a text has an apostrophe in
 * front, which is removed when the file is read. What a cell cannot show as it is, such as an object, is written as JSON
 * behind a mark.
 */

/** The cell of null, which clears an attribute. An empty cell is an absent attribute. */
export const EMPTY = '(empty)'

/** Begins a cell whose value is JSON. */
export const JSON_MARK = '(json) '

/** What a spreadsheet takes for a formula, including the full-width forms. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/
/** Numbers, dates, times, and amounts. */
const NUMERIC = /^[\s([$€£¥.,]*\p{Nd}/u
/** A word and a number, such as Sept 2 or MAR1. */
const MONTH = /^\p{L}{3,}[\s.,/-]*\p{Nd}{1,4}(?:[\s.,/-]+\p{Nd}{1,4})?$/u
const BOOLEAN = /^(?:true|false)$/i
/** Of larger numbers, a spreadsheet keeps the first 15 digits. A fraction is a date where the decimal sign is a comma. */
const WHOLE_NUMBER = /^-?(?:0|[1-9][0-9]{0,14})$/

/** Writes a text. */
export function writeText(text: string): string {
  if (text === '' || text.startsWith("'") || text === EMPTY || text.startsWith(JSON_MARK)) return `'${text}`
  return FORMULA.test(text) || NUMERIC.test(text) || MONTH.test(text) || BOOLEAN.test(text) ? `'${text}` : text
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
