import { trimBlanks } from '../../text/normalize-text.ts'
import { isNothing, JSON_MARK, readAddress, readAttribute, readCustomAttribute, showCell } from '../cells.ts'
import type { ColumnMapping, Mapping } from '../mapping/mapping.ts'
import { isDate, isPhone, NAME_TARGETS, TEXTS } from '../mapping/mapping.ts'
import { readMarks } from '../values/name-marks.ts'
import type { RowPlan } from './plan-rows.ts'
import { NO_MANAGER } from './plan-rows.ts'
import { isBooleanText, readNumber } from '../values/read-custom.ts'
import { readDate } from '../values/read-date.ts'
import { NO_COUNTRY_CODE, readPhone } from '../values/read-phone.ts'
import { splitName, tidy } from '../values/split-name.ts'
import { isMarkedAsLeft, readStatusWord, readWordOf, type Status } from '../words/status-words.ts'

/** A column of a file, and what becomes of its cells. */
export interface Column extends ColumnMapping {
  /** From 1. */
  number: number
  isRecord: boolean
}

/** What a row is read with. */
export interface Context {
  mapping: Mapping
  today: string
  plan: RowPlan | undefined
  /** The country of local phone numbers: empty if nobody has said it, and null if the service reads them. */
  country: string | null
}

/** The value of a cell as JSON, or of several fields; or what is wrong with it, as a sentence. */
export type ValueReading =
  | { json: string; fields?: undefined; fault?: undefined; note?: string }
  | { json?: undefined; fields: Record<string, string>; fault?: undefined; note?: undefined }
  | { json?: undefined; fields?: undefined; fault: string; note?: undefined }

/** What names the manager of a row's person by what the file, or the company, knows of people. */
export const NAMING_MANAGERS: ReadonlySet<ColumnMapping['to']> = new Set([
  'manager',
  'manager_email',
  'manager_external_id',
])

/** Systems write these for a name that somebody doesn't have. */
const NO_NAME = /^[.–—-]$/
/** In these, such a text may be a value. */
const NEVER_NOTHING: ReadonlySet<ColumnMapping['to']> = new Set([
  'id',
  'key',
  'status',
  'full_name',
  'last_name_prefix',
  'custom',
  'as_named',
])
/** And this where somebody has no manager. */
const NO_MANAGER_WORD = /^no[_ ]manager$/i

/** Reads the cell of a whole record. */
export function readWhole(cell: string): ValueReading | null {
  if (cell === '') return null
  if (!cell.startsWith(JSON_MARK))
    return { fault: 'The log does not have all of this record. Enter its attributes in their columns' }
  const { json, fault } = readAttribute(cell)
  return json === undefined ? { fault: `The cell ${fault}` } : { json }
}

/** Whether a text stands for nothing, as systems write it. */
export function isNone(cell: string, to: ColumnMapping['to']): boolean {
  if (to === 'first_name' || to === 'last_name') return NO_NAME.test(trimBlanks(cell))
  if (to === 'manager' && NO_MANAGER_WORD.test(trimBlanks(cell))) return true
  return !NEVER_NOTHING.has(to) && isNothing(cell)
}

/** Reads a cell; null if it sets nothing. */
export function readColumn(cell: string, column: Column, context: Context): ValueReading | null {
  const { to, type } = column
  if (to === 'key' || to === 'phone_country') return null
  const isCustom = to === 'custom'
  const isExact = to === 'as_named' || (isCustom && type === 'as_written')
  if (to === 'status' || to === 'termination_date') {
    const said = readWord(trimBlanks(cell), column)
    if (said) return to === 'status' || said === 'inactive' ? ofStatus(said) : readEmpty(column, context.mapping)
    if (to === 'status' && trimBlanks(cell) === '' && said === null) return readStatus('', column)
  }
  if (cell === '' || (!isExact && trimBlanks(cell) === '') || isNone(cell, to))
    return readEmpty(column, context.mapping)
  const { text, json, fault } = isCustom && isExact ? readCustomAttribute(cell) : readAttribute(cell)
  if (fault !== undefined) return { fault: `${showCell(cell)} ${fault}` }
  // What is no text is exact: null, or a value that is wrong. So is a custom attribute that is marked as text.
  if (text === undefined || isExact || (isCustom && text !== cell)) return { json }
  const reading = readText(text, column, context)
  if (reading?.fault !== undefined) return { fault: `${showCell(cell)} ${reading.fault}` }
  return reading?.note === undefined ? reading : { ...reading, note: `${showCell(cell)} ${reading.note}` }
}

const NEVER_CLEARED: ReadonlySet<ColumnMapping['to']> = new Set([
  'id',
  'external_id',
  'email',
  'status',
  'full_name',
  'as_named',
  'key',
  'phone_country',
  'last_name_prefix',
])

/** Whether the empty cells of a column can clear what is stored. */
export function isClearable({ to, isRecord }: Column): boolean {
  return !isRecord && !NEVER_CLEARED.has(to)
}

function readEmpty(column: Column, { empty_cells: ofFile }: Mapping): ValueReading | null {
  const { to, empty_cells: ofColumn } = column
  if ((ofColumn ?? ofFile) === 'keep' || !isClearable(column)) return null
  return to === 'manager' ? { fields: { manager_id: 'null' } } : { json: 'null' }
}

/** Reads the text of a cell as its column says. A fault goes on after the text. */
function readText(text: string, column: Column, context: Context): ValueReading | null {
  const { to } = column
  if (isDate(to)) {
    const { value, fault } = readDate(text, { order: column.dates, clock: column.clock, calendar: column.calendar })
    if (fault !== undefined) return { fault }
    return value === null ? readEmpty(column, context.mapping) : { json: JSON.stringify(value) }
  }
  if (to === 'status') return readStatus(text, column)
  const isName = NAME_TARGETS.has(to)
  const isText = isName || TEXTS.includes(to)
  if (isText && isMisread(text))
    return { fault: 'has letters that were read in a wrong encoding. Export the file again' }
  if (isName) return readMarkedName(text, column)
  if (isPhone(to)) return readNumberOfPhone(text, context)
  if (to === 'manager') return readManager(text, column, context)
  const isUnknown = context.plan?.manager?.fault === NO_MANAGER
  if (isUnknown && NAMING_MANAGERS.has(to)) return { fault: NO_MANAGER }
  if (to === 'custom') return readCustom(text, column)
  if (to === 'email' || to === 'manager_email') return { json: JSON.stringify(readAddress(text)) }
  return { json: JSON.stringify(isText ? tidy(text) : text) }
}

/** What letters of two and of three bytes become that a program reads as Windows-1252 instead of UTF-8: Ã¼, Ð¶, å±±. */
const OF_TWO_BYTES = /[ÂÃÄÅÎÏÐÑ×ØÙ][\x80-\xbf\u0152-\u0192\u2013-\u2122]/
/** Quotation marks may follow an à. */
const OF_THREE_BYTES = /[à-ï][\x80-\xbf\u0152-\u0192\u2020-\u2122][\xa1-\xbf\u0152-\u2122]/
const isMisread = (text: string) => OF_TWO_BYTES.test(text) || OF_THREE_BYTES.test(text)

/** What a word means, as somebody has chosen; undefined if nobody was asked, and null if it is open. */
function readWord(word: string, { words = {} }: Column): Status | null | undefined {
  return Object.hasOwn(words, word) ? words[word] : undefined
}

const ofStatus = (status: Status) => ({ fields: { status: JSON.stringify(status) } })

function readStatus(text: string, column: Column): ValueReading {
  const word = readWordOf(text)
  const said = readWord(word, column)
  const status = said === undefined ? readStatusWord(word) : said
  return status ? ofStatus(status) : { fault: 'is no known status. Choose what it means' }
}

/** Without a country, the service reads the number, which may know one. */
function readNumberOfPhone(text: string, { country, mapping }: Context): ValueReading {
  const { value, fault, only } = readPhone(text, country ?? '')
  const note = only === undefined ? {} : { note: `is more than a phone number: all but ${only} is left out` }
  if (value !== undefined) return { json: JSON.stringify(value), ...note }
  const isLeft = country === null && (mapping.unreadable_values === 'refuse' || fault === NO_COUNTRY_CODE)
  return isLeft ? { json: JSON.stringify(only ?? text), ...note } : { fault }
}

/** Reads a name without the marks at it, of which any may say that the person has left. */
function readMarkedName(text: string, { to, words, names = null }: Column): ValueReading {
  const { name, status } = readMarks(text, words)
  if (status === null || isMarkedAsLeft(name)) return { fault: 'is a name with a mark of somebody who has left' }
  const left = status === 'inactive' ? ofStatus(status).fields : {}
  if (to !== 'full_name') {
    if (!/\p{L}/u.test(name)) return { fault: 'has no letters of a name' }
    return { fields: { [to!]: JSON.stringify(tidy(name)), ...left } }
  }
  const split = splitName(name, names)
  if (!split) return { fault: 'cannot be split into a first and a last name by the rule of its column' }
  return { fields: { first_name: JSON.stringify(split.first), last_name: JSON.stringify(split.last), ...left } }
}

function readManager(text: string, { by }: Column, { plan }: Context): ValueReading | null {
  const manager = plan?.manager
  if (manager?.fault !== undefined) return { fault: manager.fault }
  if (manager?.email !== undefined) return { fields: { manager_email: JSON.stringify(manager.email) } }
  if (manager?.external_id !== undefined)
    return { fields: { manager_external_id: JSON.stringify(manager.external_id) } }
  if (by === 'email') return { fields: { manager_email: JSON.stringify(text) } }
  if (by === 'external_id') return { fields: { manager_external_id: JSON.stringify(text) } }
  return { fault: NO_MANAGER }
}

function readCustom(text: string, { type = 'text' }: Column): ValueReading {
  if (type === 'number') return readNumber(text)
  if (type === 'boolean')
    return isBooleanText(text) ? { json: trimBlanks(text).toLowerCase() } : { fault: 'is neither true nor false' }
  return { json: JSON.stringify(text) }
}
