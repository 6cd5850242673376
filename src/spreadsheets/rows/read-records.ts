import { trimBlanks } from '../../text/normalize-text.ts'
import { isError, readAttribute, readName, showCell } from '../cells.ts'
import type { FileFault } from '../file-error.ts'
import type { ColumnMapping, Mapping } from '../mapping/mapping.ts'
import {
  columnsOf,
  FILE_QUESTIONS,
  listQuestions,
  locateColumns,
  MAX_WORDS,
  SAYING_WHO_LEFT,
} from '../mapping/mapping.ts'
import type { RowKeys, RowPlan } from './plan-rows.ts'
import { isManagerUnknown } from './plan-rows.ts'
import type { FileRow } from '../tables/file-row.ts'
import { readCountryName } from '../values/read-country.ts'
import { readKeys } from './read-keys.ts'
import type { Column, Context, ValueReading } from './read-value.ts'
import { isClearable, NAMING_MANAGERS, readColumn, readWhole } from './read-value.ts'
import { joinPrefix } from '../values/split-name.ts'
import {
  CUSTOM,
  findField,
  hasOwnColumns,
  identifyColumn,
  MAX_COLUMNS,
  MAX_NAME,
  memberOf,
  RECORD_COLUMN,
} from '../mapping/record-columns.ts'

/** What the columns of a file are. */
export interface FileColumns {
  /** The number of the column, from 1, of each field; `custom_attributes.KEY` for a custom attribute. */
  fields: ReadonlyMap<string, number>
  /** The names of the columns that become nothing, without those that this program writes. */
  unused: string[]
  /** The number of the column that says which call a record comes from; null if there is none. */
  logId: number | null
  /** What is wrong with the first line, or still open: no row can be read before. */
  faults: FileFault[]
}

/** A row as a record. */
interface ReadRow {
  /** The record as JSON, without the cells that have faults. */
  json: string
  faults: FileFault[]
  /** What was left out, as the mapping says. */
  notes: FileFault[]
}

/** Reads the rows of a file. */
export interface RowReader extends FileColumns {
  /** The same of the fields that empty cells clear if the mapping says so. */
  clearable: ReadonlyMap<string, number>
  /** Takes time for the cells that the row has, not for all columns of the file. `plan` is what other rows say. */
  read(row: FileRow, plan?: RowPlan): ReadRow
  /** Reads what identifies the person of a row, and the manager. */
  readKeys(row: FileRow): RowKeys
}

/** The number of faults that are listed of the first line, and of a row. */
const MAX_FAULTS = 100

type Report = (line: number, column: number | null, message: string) => void

/**
 * Opens a file by its first line, which names the columns, and what these mean. `today` is YYYY-MM-DD: an end date
 * before it has passed.
 */
export function openRows(header: FileRow, mapping: Mapping, today: string): RowReader {
  const { faults, report } = collectFaults()
  for (const fault of checkHeader(header)) faults.push(fault)
  const columns = faults.length > 0 ? [] : matchColumns(header, mapping, report)
  reportQuestions(header, mapping, columns, report)
  const used = columns.filter(({ to, isRecord }) => isRecord || (to !== null && to !== 'nothing'))
  reportRepeated(header.line, used, report)
  if (faults.length === 0 && !hasOwnColumns(header.cells) && !used.some(isIdentifying))
    report(header.line, null, 'No column says who people are. Choose which one is their email or external ID')
  const origins = header.cells.map((cell) => identifyColumn(cell))
  const opened: OpenedColumns = {
    mapping,
    today,
    columns: used,
    header: header.cells,
    names: used.filter(({ to }) => to === 'first_name' || to === 'last_name'),
    country: used.find(({ to }) => to === 'phone_country'),
    readsEmpty: mapping.empty_cells === 'clear' || used.some(meansSomethingEmpty),
  }
  const hasNamedManagers = used.some(({ to, by }) => to === 'manager' && by === 'full_name')
  const unused = columns.filter(
    ({ to, number }) => to === 'nothing' && !['origin', 'record'].includes(origins[number - 1]!.kind),
  )
  const logId = origins.findIndex(({ kind, name }) => kind === 'origin' && name === 'log_id')
  return {
    faults,
    fields: new Map(used.flatMap(listFields)),
    clearable: new Map(used.filter(isClearable).flatMap(listFields)),
    unused: unused.map(({ header: name }) => readName(name)),
    logId: logId === -1 ? null : logId + 1,
    read: (row, plan) => readRow(row, opened, plan),
    readKeys: (row) => readKeys(row, used, hasNamedManagers),
  }
}

function collectFaults(): { faults: FileFault[]; report: Report } {
  const faults: FileFault[] = []
  const report: Report = (line, column, message) => {
    if (faults.length < MAX_FAULTS) faults.push({ line, column, message })
  }
  return { faults, report }
}

/** Checks the first line of a file, whatever its columns mean. */
export function checkHeader({ line, cells }: FileRow): FileFault[] {
  const { faults, report } = collectFaults()
  if (cells.length > MAX_COLUMNS && cells.slice(MAX_COLUMNS).some((cell) => cell !== ''))
    report(line, MAX_COLUMNS + 1, `A file must have at most ${MAX_COLUMNS} columns`)
  for (const [at, cell] of cells.entries())
    if (cell.length > MAX_NAME) report(line, at + 1, `The name of a column must have at most ${MAX_NAME} characters`)
  return faults
}

/** Checks whether a mapping is one of the columns of a file. Open questions are no faults. */
export function checkMapping(header: FileRow, mapping: Mapping): FileFault[] {
  const { faults, report } = collectFaults()
  const columns = matchColumns(header, mapping, report)
  reportRepeated(
    header.line,
    columns.filter(({ to }) => to !== null && to !== 'nothing'),
    report,
  )
  return faults
}

/** Whether a column may say who somebody is. */
function isIdentifying({ to, isRecord, header }: Column): boolean {
  const field = to === 'as_named' ? memberOf(header) : to
  return isRecord || field === null || field === 'id' || field === 'email' || field === 'external_id'
}

/** Finds the mapping of each column that has a name. */
function matchColumns({ line, cells }: FileRow, mapping: Mapping, report: Report): Column[] {
  const columns: Column[] = []
  for (const [at, index] of locateColumns(cells, mapping.columns).entries()) {
    const given = mapping.columns[at]!
    if (index !== -1) columns[index] = { ...given, number: index + 1, isRecord: isRecord(given.header) }
    else {
      const why = cells.includes(given.header) ? 'has more or fewer times' : "doesn't have"
      report(line, null, `The mapping has a column ${showCell(readName(given.header))}, which the file ${why}`)
    }
  }
  for (const [at, cell] of cells.entries())
    // Spreadsheets keep empty columns behind the last one.
    if (!columns[at] && cell !== '')
      report(line, at + 1, `Column ${showCell(readName(cell))} isn't mapped. Choose where it goes`)
  return columns.filter((column) => column !== undefined)
}

const isRecord = (header: string) => identifyColumn(header).kind === 'record'

const OPEN = {
  to: "isn't mapped. Choose where it goes",
  dates: 'has dates that may be two different days. Choose whether the day or the month comes first',
  names: 'has full names. Choose which of their words are the first name',
  by: 'has managers. Choose what names them',
  clock: 'has dates with a time of day. Choose whether the day is as written',
  calendar: 'has years that may be of another calendar. Choose the calendar',
} as const

const OPEN_CHOICES = {
  past_end_dates: 'would be active although their end date has passed. Choose whether they are deactivated',
  country: 'have a phone number without a country code. Choose the country',
  unknown_managers: 'have a manager whom nobody knows. Choose whether the manager is left out',
  // The call refuses them, one by one.
  same_addresses: null,
  stored_end_dates: null,
} as const satisfies Record<(typeof FILE_QUESTIONS)[number], string | null>

/**
 * Questions concern all rows, so each is one fault. Where unreadable values are left out, nobody has to answer them.
 */
function reportQuestions({ line }: FileRow, mapping: Mapping, columns: readonly Column[], report: Report): void {
  if (mapping.unreadable_values === 'leave_out') return
  for (const question of listQuestions({ ...mapping, columns: [...columns] })) {
    if (!('column' in question)) {
      const open = OPEN_CHOICES[question.about]
      if (open !== null) report(line, null, `People in ${question.rows} rows ${open}`)
      continue
    }
    for (const { column } of columnsOf(question)) {
      const { number, header, words = {} } = columns[column - 1]!
      const isFull = Object.keys(words).length >= MAX_WORDS
      const open =
        question.about === 'words'
          ? `has words whose meaning isn't known: ${question.words!.map(showCell).join(', ')}. Choose what they mean` +
            (isFull ? `, or, if there are more than ${MAX_WORDS} words, another column` : '')
          : OPEN[question.about]
      report(line, number, `Column ${showCell(readName(header))} ${open}`)
    }
  }
}

function reportRepeated(line: number, used: readonly Column[], report: Report): void {
  const seen = new Map<string, Column>()
  // Several columns may say who has left, and a full name may fill in for parts of names.
  for (const column of used.filter(({ to }) => to !== 'status' && to !== 'full_name'))
    for (const [field] of listFields(column)) {
      const other = seen.get(field)
      if (other)
        report(line, column.number, `Another column, ${showCell(readName(other.header))}, becomes ${field}, too`)
      seen.set(field, column)
    }
}

function listFields({ to, name, header, number, isRecord }: Column): [string, number][] {
  if (isRecord) return [[RECORD_COLUMN, number]]
  if (to === 'custom') return [[`${CUSTOM}${name ?? readName(header)}`, number]]
  if (to === 'as_named') return [[memberOf(header), number]]
  if (to === 'full_name')
    return [
      ['first_name', number],
      ['last_name', number],
    ]
  return to === null ? [] : [[to, number]]
}

/**
 * Reads each cell as a record of its own, whatever it contains, to search it. Several columns may have one name, or
 * none.
 */
export function readCells(header: readonly string[], cells: readonly string[]): Record<string, unknown>[] {
  return cells.map((cell, at) => {
    const name = readName(header[at] ?? '')
    const { json } = readAttribute(cell)
    return { [findField(name) ?? name]: json === undefined ? cell : JSON.parse(json) }
  })
}

/** What rows are read with. */
interface OpenedColumns {
  mapping: Mapping
  today: string
  header: readonly string[]
  /** The columns of first and last names. */
  names: readonly Column[]
  columns: readonly Column[]
  /** The column that says in which country phone numbers are. */
  country: Column | undefined
  /** Whether empty cells may set something. */
  readsEmpty: boolean
}

/** Whether an empty cell of a column sets something: it clears what a person has, or is a word for a status. */
function meansSomethingEmpty({ empty_cells: empty, words }: ColumnMapping): boolean {
  return empty === 'clear' || (words?.[''] ?? null) !== null
}

/** The members of a record as JSON, and what a row says about values of other columns. */
interface RowMembers {
  fields: Map<string, string>
  customs: Map<string, string>
  whole: string | null
}

function readRow({ line, cells }: FileRow, opened: OpenedColumns, plan: RowPlan | undefined): ReadRow {
  const { mapping, today, header, columns, names, readsEmpty } = opened
  const context = { mapping, today, plan, country: readCountry(cells, opened) }
  const { faults, report } = collectFaults()
  const notes: FileFault[] = []
  const extra = cells.findIndex((cell, at) => cell !== '' && (header[at] ?? '') === '')
  if (extra !== -1) report(line, extra + 1, 'This cell has no column: the first line has no name for it')
  const hasName = names.some(({ number }) => trimBlanks(cells[number - 1] ?? '') !== '')
  for (const fault of plan?.faults ?? []) report(line, null, fault)
  const members: RowMembers = { fields: new Map(), customs: new Map(), whole: null }
  for (const column of columns) {
    if (column.number > cells.length && !readsEmpty) break
    if (column.to === 'full_name' && hasName) continue
    const cell = cells[column.number - 1] ?? ''
    const reading = column.isRecord ? readWhole(cell) : readColumn(cell, column, context)
    if (reading === null) continue
    if (reading.note !== undefined) notes.push({ line, column: column.number, message: reading.note })
    if (reading.fault === undefined) setMembers(members, column, reading)
    else if (isLeftOut(column, context, cell))
      notes.push({ line, column: column.number, message: `${reading.fault.replace(REMEDY, '')}: left out` })
    else report(line, column.number, reading.fault)
  }
  if (plan?.repeats !== undefined) notes.push({ line, column: null, message: `Repeats ${plan.repeats}: left out` })
  if (members.whole !== null && members.fields.size + members.customs.size > 0)
    report(line, null, `The line has a record in the column ${RECORD_COLUMN} and attributes in others. Empty either`)
  finishRecord(members, context)
  return { json: writeMembers(members), faults, notes }
}

/** The last sentence of a fault, which says what to do. */
const REMEDY = /\. [A-Z][^."]*$/

function isLeftOut({ to }: Column, { mapping, plan }: Context, cell: string): boolean {
  const isUnknown = NAMING_MANAGERS.has(to) && plan !== undefined && isManagerUnknown(plan)
  if (isUnknown && mapping.unknown_managers === 'leave_out') return true
  if (isError(cell) && SAYING_WHO_LEFT.has(to)) return false
  return (mapping.unreadable_values === 'leave_out' || isError(cell)) && !NEVER_LEFT_OUT.has(to)
}

/**
 * What is never left out: what identifies a person, as the row would be about somebody else, and an end date, as somebody
 * who has left would stay active. Words for statuses are asked.
 */
export const NEVER_LEFT_OUT: ReadonlySet<ColumnMapping['to']> = new Set([
  'id',
  'external_id',
  'email',
  'termination_date',
])

function setMembers(members: RowMembers, { to, name, header, isRecord }: Column, reading: ValueReading): void {
  const { fields, customs } = members
  if (isRecord) members.whole = reading.json!
  else if (reading.fields) {
    const hasLeft = fields.get('status') === INACTIVE
    for (const [field, json] of Object.entries(reading.fields)) fields.set(field, json)
    if (hasLeft) fields.set('status', INACTIVE)
  } else if (to === 'custom') customs.set(name ?? readName(header), reading.json!)
  else if (to === 'as_named') fields.set(memberOf(header), reading.json!)
  else if (to !== null) fields.set(to, reading.json!)
}

const INACTIVE = '"inactive"'

/** What follows from several columns, and from other rows. */
function finishRecord({ fields }: RowMembers, { mapping, today, plan }: Context): void {
  const [prefix, last] = [fields.get('last_name_prefix'), fields.get('last_name')]
  fields.delete('last_name_prefix')
  if (prefix && last && last !== 'null')
    fields.set('last_name', JSON.stringify(joinPrefix(String(JSON.parse(prefix)), String(JSON.parse(last)))))
  if (plan?.isEmailLeftOut) fields.delete('email')
  const end = fields.get('termination_date')
  const hasPassed = end !== undefined && end !== 'null' && JSON.parse(end) < today
  if (hasPassed && mapping.past_end_dates === 'deactivate') fields.set('status', INACTIVE)
}

function writeMembers({ fields, customs, whole }: RowMembers): string {
  if (whole !== null) return whole
  const own = listMembers(fields)
  if (customs.size === 0) return `{${own}}`
  const custom = `"custom_attributes":{${listMembers(customs)}}`
  return own === '' ? `{${custom}}` : `{${own},${custom}}`
}

function listMembers(members: ReadonlyMap<string, string>): string {
  let list = ''
  for (const [name, json] of members) list += `${list === '' ? '' : ','}${JSON.stringify(name)}:${json}`
  return list
}

/** The column of a file that names countries decides, and then the mapping; null if the service knows one. */
function readCountry(cells: readonly string[], { country: column, mapping }: OpenedColumns): string | null {
  const named = column ? readCountryName(cells[column.number - 1] ?? '') : null
  if (named !== null) return named
  // The service reads what no question is about.
  if (mapping.country === null) return (mapping.counts?.country ?? 0) > 0 ? '' : null
  return mapping.country === 'company' ? null : mapping.country
}

/** The name of the field that an error is about, as columns name it. The pointer leads into a list of records. */
export function readPointer(pointer: string): string {
  const names = pointer
    .replace(/^\/employees/, '')
    .split('/')
    .slice(2)
  return names.map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~')).join('.')
}
