import { FileError } from '../file-error.ts'
import type { TableNotes } from '../tables/find-table.ts'
import { leaveOut } from '../tables/find-table.ts'
import type { FileRow } from '../tables/file-row.ts'
import { findField, MAX_COLUMNS } from '../mapping/record-columns.ts'
import { splitJson } from './split-json.ts'

/** What the records of a JSON file look like. */
export interface JsonShape {
  /** The names of the columns that the records have as a table; null if they are records as the API takes them. */
  columns: readonly string[] | null
  /** What people call the fields, by their names in the records. */
  labels: ReadonlyMap<string, string>
  /** If the records are lists of cells, as of a sheet: the names that the file says for them; empty if it says none. */
  cells?: readonly string[]
}

/** The levels of objects that become columns. */
const MAX_LEVELS = 8
/** A record is read by the API as it is if it has no other members than these, or none at all. */
const isOfApi = (name: string) => findField(name) === name

/**
 * Finds out what the records of a JSON file look like: records of the API stay as they are, and those of other systems
 * become a table. Records that are no objects count as records of the API, which says what is wrong with them. Notes
 * what the file says about being incomplete. Throws FileError.
 */
export async function inspectJson(texts: AsyncIterable<string>, notes: TableNotes): Promise<JsonShape> {
  const columns = new Set<string>()
  let [count, isTable] = [0, false]
  let row: unknown[] | null = null
  const elements = splitJson(texts)
  for (;;) {
    const { done, value } = await elements.next()
    if (done) {
      noteIncomplete(value, count, notes)
      if (row) return { columns: null, labels: new Map(), cells: readNames(value, row.length) }
      return { columns: isTable ? [...columns] : null, labels: readLabels(value) }
    }
    for (const { line, json } of value) {
      count += 1
      if (count === 1) row = parseRow(json)
      if (row) continue
      const record = parseRecord(json)
      if (record === null) return { columns: null, labels: new Map() }
      isTable ||= Object.keys(record).some((name) => !isOfApi(name))
      if (isPerson(record)) for (const name of listCells(record).keys()) columns.add(name)
      if (columns.size > MAX_COLUMNS)
        throw new FileError(line, `The records up to this line have more than ${MAX_COLUMNS} different fields`)
    }
  }
}

/** Reads the records of a JSON file that are lists of cells. Lines are numbers of rows. Throws FileError. */
export async function* readJsonRows(
  texts: AsyncIterable<string>,
  names: readonly string[],
): AsyncGenerator<FileRow[], void> {
  let line = Math.min(names.length, 1)
  if (line > 0) yield [{ line, cells: [...names] }]
  for await (const elements of splitJson(texts)) {
    const rows: FileRow[] = []
    for (const { json } of elements) {
      line += 1
      const row = parseRow(json)
      if (row === null) throw new FileError(line, 'This row is no list of cells, as those above it are')
      rows.push({ line, cells: row.map(writeCell) })
    }
    yield rows
  }
}

function parseRow(json: string): unknown[] | null {
  try {
    const row: unknown = JSON.parse(json)
    return Array.isArray(row) ? row : null
  } catch {
    return null
  }
}

/** Reads the records of a JSON file as the rows of a table, the row of names first. Lines are those of the file. */
export async function* flattenJson(
  texts: AsyncIterable<string>,
  { columns, labels }: { columns: readonly string[]; labels: ReadonlyMap<string, string> },
  notes: TableNotes,
): AsyncGenerator<FileRow[], void> {
  yield [{ line: 1, cells: columns.map((name) => labels.get(name) ?? name) }]
  let row = 0
  for await (const elements of splitJson(texts)) {
    const rows: FileRow[] = []
    for (const { line, json } of elements) {
      row += 1
      const record = parseRecord(json) ?? {}
      const cells = listCells(record)
      if (isPerson(record)) rows.push({ line, cells: columns.map((name) => cells.get(name) ?? '') })
      else leaveOut(notes, 'not_a_user', line, line, `Record ${row} is not about a person`)
    }
    yield rows
  }
}

type JsonObject = Readonly<Record<string, unknown>>

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function parseRecord(json: string): JsonObject | null {
  try {
    const record: unknown = JSON.parse(json)
    return isObject(record) ? record : null
  } catch {
    return null
  }
}

/** Lists of SCIM (RFC 7644 section 3.4.2) may contain groups, too. */
function isPerson({ schemas }: JsonObject): boolean {
  if (!Array.isArray(schemas)) return true
  const types = schemas.filter((schema) => typeof schema === 'string' && schema.includes(':schemas:core:'))
  return types.length === 0 || types.some((schema) => String(schema).endsWith(':User'))
}

/** The cells of a record, by the names of its columns. */
function listCells(record: JsonObject): Map<string, string> {
  const cells = new Map<string, string>()
  addCells(cells, '', record, 0)
  return cells
}

function addCells(cells: Map<string, string>, prefix: string, record: JsonObject, level: number): void {
  for (const [name, value] of Object.entries(record)) {
    if (name === 'schemas' && level === 0) continue
    const path = `${prefix}${shortenName(name)}`
    if (isObject(value) && level < MAX_LEVELS) addCells(cells, `${path}.`, value, level + 1)
    else if (Array.isArray(value)) addList(cells, path, value, level)
    else addCell(cells, path, writeCell(value))
  }
}

/** The objects of a list, such as the employments of a person, that become columns. */
const MAX_LISTED = 3

/**
 * A list of texts is one cell. Of values with types, such as addresses at work and at home, each type is a column, and of
 * a few other objects each member.
 */
function addList(cells: Map<string, string>, path: string, list: readonly unknown[], level: number): void {
  const objects = list.filter(isObject)
  const typed = objects.filter((item) => 'value' in item)
  const isFew = objects.length === list.length && list.length <= MAX_LISTED
  if (typed.length < list.length && isFew && level < MAX_LEVELS) {
    for (const [at, item] of objects.entries()) addCells(cells, `${path}.${at + 1}.`, item, level + 1)
    return
  }
  // Each of several addresses is a column, as only one can be that of the person.
  if (list.length > 1 && list.length <= MAX_LISTED && list.every(isAddress)) {
    for (const [at, text] of list.entries()) addCell(cells, at === 0 ? path : `${path}.${at + 1}`, writeCell(text))
    return
  }
  if (typed.length < list.length || list.length === 0) {
    addCell(cells, path, list.map(writeCell).join('; '))
    return
  }
  // The first one of a type has precedence, and the primary one before it.
  const isPrimary = (item: JsonObject) => item['primary'] === true
  for (const item of [...typed.filter(isPrimary), ...typed.filter((other) => !isPrimary(other))]) {
    const type = typeof item['type'] === 'string' ? item['type'] : ''
    addCell(cells, type === '' ? path : `${path}.${type}`, writeCell(item['value']))
  }
}

const isAddress = (value: unknown) => typeof value === 'string' && value.includes('@')

function addCell(cells: Map<string, string>, path: string, cell: string): void {
  if (!cells.has(path)) cells.set(path, cell)
}

/** `urn:ietf:params:scim:schemas:extension:enterprise:2.0:User` is called `enterprise`. */
function shortenName(name: string): string {
  return /^urn:.*:extension:([^:]+):/.exec(name)?.[1] ?? name
}

/**
 * A number that JSON cannot hold exactly is written as a spreadsheet shortens it, so that it is not taken for exact.
 */
function writeCell(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)) return value.toExponential()
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Of `{"columns": ["id", {"name": "mail"}], "rows": [[…]]}`, the names of so many cells. */
function readNames(around: unknown, count: number): string[] {
  const nameOf = (item: unknown) => (isObject(item) ? item['name'] : item)
  const lists = isObject(around) ? Object.values(around).filter((list) => Array.isArray(list)) : []
  const names = lists.map((list) => list.map(nameOf)).find((list) => list.length === count && list.every(isText))
  return names?.filter(isText) ?? []
}

const isText = (value: unknown) => typeof value === 'string'

/** Of `{"fields": [{"id": "workEmail", "name": "Work Email"}], "employees": […]}`, the names. */
function readLabels(around: unknown): Map<string, string> {
  const fields = isObject(around) && Array.isArray(around['fields']) ? around['fields'].filter(isObject) : []
  const labels = new Map<string, string>()
  const used = new Set<string>()
  for (const { id, name } of fields) {
    if (typeof id !== 'string' || typeof name !== 'string' || used.has(name)) continue
    used.add(name)
    labels.set(id, name)
  }
  return labels
}

/** A page of a list says how long the whole list is, or where the next page is. */
function noteIncomplete(around: unknown, count: number, notes: TableNotes): void {
  for (const [path, value] of listMembers(around)) {
    const name = path.toLowerCase().replaceAll(/[^a-z]/g, '')
    if (/^total(?:results|count|records|items|elements|entries|size)?$|^count$/.test(name)) {
      const total = Number(value)
      if (!(total > count)) continue
      leaveOut(notes, 'incomplete', null, null, `The file holds ${count} of ${total} records: it is one page of a list`)
      return
    }
    const isNext = /^(?:odata)?next|^hasmore$|^hasnext/.test(name) && Boolean(value)
    if (!isNext) continue
    leaveOut(notes, 'incomplete', null, null, `The file is one page of a list: it names the next one in “${path}”`)
    return
  }
}

/** The members of an object and of those in it. */
function listMembers(value: unknown, level = 0): [name: string, value: unknown][] {
  if (!isObject(value) || level > MAX_LEVELS) return []
  return Object.entries(value).flatMap(([name, member]): [string, unknown][] =>
    isObject(member) && !/^next$/i.test(name) ? listMembers(member, level + 1) : [[name, member]],
  )
}
