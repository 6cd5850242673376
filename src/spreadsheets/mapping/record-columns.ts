import { readName, writeAttribute, writeCustomAttribute, writeJson, writeText } from '../cells.ts'
import { DATE_TARGETS, PHONE_TARGETS, TEXT_TARGETS } from './mapping.ts'

/** The columns that say where a record comes from, and why it was refused. */
export const ORIGIN_COLUMNS = ['log_id', 'index', 'errors'] as const

/** The column of records that have no columns of their own: no objects, or with too many or ambiguous members. */
export const RECORD_COLUMN = 'record'

/** The columns of custom attributes begin so, as in the log. */
export const CUSTOM = 'custom_attributes.'

/** The number of columns that a file may have, those above included. */
export const MAX_COLUMNS = 512

/** The characters in the name of a column, which each record repeats. A record with a longer one is in `record`. */
export const MAX_NAME = 256

const MAX_OF_RECORDS = MAX_COLUMNS - ORIGIN_COLUMNS.length - 1

const RESERVED: ReadonlySet<string> = new Set([...ORIGIN_COLUMNS, RECORD_COLUMN])

/** The cells of a record by the names of their columns. */
type RecordCells = ReadonlyMap<string, string>

/** Writes a record, one cell for each attribute and custom attribute, if a file with these columns has all of them. */
export function writeRecord(record: unknown, columns: ReadonlySet<string>): RecordCells {
  const cells = writeMembers(record)
  return cells && [...cells.keys()].every((name) => columns.has(name)) ? cells : writeWhole(record)
}

/** Adds the columns that a record needs to those of a file. */
export function addColumns(columns: Set<string>, record: unknown): void {
  const cells = writeMembers(record) ?? writeWhole(record)
  const names = [...cells.keys()].filter((name) => !columns.has(name))
  if (columns.size + names.length > MAX_OF_RECORDS) columns.add(RECORD_COLUMN)
  else for (const name of names) columns.add(name)
}

function writeWhole(record: unknown): RecordCells {
  return new Map([[RECORD_COLUMN, writeJson(record)]])
}

/** Writes the members of a record; null if it has none, or if they cannot be columns. */
function writeMembers(record: unknown): RecordCells | null {
  if (!isObject(record)) return null
  const cells = new Map<string, string>()
  for (const [name, value] of Object.entries(record)) {
    const customs = name === 'custom_attributes' && isObject(value) ? Object.entries(value) : []
    if (RESERVED.has(name) || name.startsWith(CUSTOM)) return null
    if (customs.length === 0) cells.set(writeName(name), writeAttribute(value))
    for (const [key, custom] of customs) cells.set(`${CUSTOM}${key}`, writeCustomAttribute(custom))
    if (cells.size > MAX_OF_RECORDS) return null
  }
  return [...cells.keys()].some((name) => name.length > MAX_NAME) ? null : cells
}

/** The fields that identify or set something of an employee, in the order of the columns. */
export const RECORD_FIELDS = [
  ...TEXT_TARGETS,
  ...PHONE_TARGETS,
  ...DATE_TARGETS,
  'status',
  'custom_attributes',
] as const
const RANKS: ReadonlyMap<string, number> = new Map(RECORD_FIELDS.map((name, rank) => [name, rank]))

/** Puts the columns of a file into order: attributes, fields that do not exist, custom attributes, whole records. */
export function orderColumns(columns: ReadonlySet<string>): string[] {
  return [...columns].toSorted((a, b) => rankOf(a) - rankOf(b) || (a < b ? -1 : 1))
}

function rankOf(name: string): number {
  if (name === RECORD_COLUMN) return RANKS.size + 2
  return RANKS.get(name) ?? (name.startsWith(CUSTOM) ? RANKS.size + 1 : RANKS.size)
}

/** Finds the field that a column means, whose name may be written as people do: `First name`, `E-Mail`. */
export function findField(name: string): string | undefined {
  const usual = name
    .trim()
    .toLowerCase()
    .replace('e-mail', 'email')
    .replaceAll(/[\s-]+/g, '_')
  return [name, usual].find((text) => RANKS.has(text))
}

/** A field that a column sets by its name. Each is a target of mappings. */
type Field = Exclude<(typeof RECORD_FIELDS)[number], 'custom_attributes'>

/** A column by its name: one that this program writes beside the attributes, an attribute, or an unknown one. */
type IdentifiedColumn =
  | { name: Field; kind: 'field' }
  | { name: string; kind: 'origin' | 'record' | 'custom' | 'unknown' }

function isField(name: string): name is Field {
  return RANKS.has(name) && name !== 'custom_attributes'
}

/** Finds out what a column is that is named as the API names attributes. Behind an apostrophe, its name is exact. */
export function identifyColumn(cell: string): IdentifiedColumn {
  const name = readName(cell)
  if (ORIGIN_COLUMNS.some((origin) => origin === name)) return { name, kind: 'origin' }
  if (name === RECORD_COLUMN) return { name, kind: 'record' }
  if (name.startsWith(CUSTOM)) return { name: name.slice(CUSTOM.length), kind: 'custom' }
  return name === cell && isField(name) ? { name, kind: 'field' } : { name, kind: 'unknown' }
}

/** The member of a record that a column means, named as the API names it or as people do. */
export function memberOf(cell: string): string {
  const { name } = identifyColumn(cell)
  return (name === cell ? findField(name) : undefined) ?? name
}

/** Whether the file is one of the log's, which says where its records come from. */
export function hasOwnColumns(header: readonly string[]): boolean {
  return header.some((cell) => ['origin', 'record'].includes(identifyColumn(cell).kind))
}

/** Whether a column is named as the API or the log names it, so that nobody has to find out what it means. */
export function isKnownToApi(cell: string): boolean {
  return cell === '' || identifyColumn(cell).kind !== 'unknown' || findField(cell) !== undefined
}

/** Whether all columns of a file are, or the log wrote it. */
export function isNamedByApi(header: readonly string[]): boolean {
  return hasOwnColumns(header) || header.every(isKnownToApi)
}

/** Writes the name of a column, with an apostrophe in front if it would be taken for that of a field. */
function writeName(name: string): string {
  return RANKS.has(name) || findField(name) === undefined ? writeText(name) : `'${name}`
}

/** The columns of a file to fill in. Employees are found by `external_id` or `email`, and custom attributes follow. */
export function listTemplateColumns(): string[] {
  return RECORD_FIELDS.filter((name) => name !== 'id' && name !== 'manager_id' && name !== 'custom_attributes')
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
