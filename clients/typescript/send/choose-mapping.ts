import { readFileSync, writeFileSync } from 'node:fs'
import { readName } from '../../../src/spreadsheets/cells.ts'
import {
  COLUMN_QUESTIONS,
  type ColumnMapping,
  type Mapping,
  keysOf,
  matchEarlier,
  USUAL_CHOICES,
} from '../../../src/spreadsheets/mapping.ts'
import { chooseNewColumn } from '../../../src/spreadsheets/new-column.ts'
import { isNamedByApi } from '../../../src/spreadsheets/record-columns.ts'
import { type Answer, answerColumn, answerFile } from './answers.ts'
import { usageError } from './exit-codes.ts'

/** What to do with a column whatever it is: it becomes a custom attribute, or it is ignored. */
export type ColumnUse = 'custom' | 'ignore'

/** What the command line says about the columns of a file. */
export interface Choices {
  /** From a file; null if there is none. */
  mapping: Mapping | null
  country: string | null
  uses: ReadonlyMap<string, ColumnUse>
  answers: readonly Answer[]
}

/** Reads a mapping from a file, as the page of an upload offers it. Throws CommandError. */
export function readMappingFile(path: string): Mapping {
  let mapping: unknown
  try {
    mapping = JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw usageError(code === undefined ? `${path} is not JSON` : `cannot read the mapping ${path}: ${code}`)
  }
  if (!isMapping(mapping))
    throw usageError(`${path} is not a mapping: write one with --save-map, or download one from the page of a file`)
  return { ...USUAL_CHOICES, ...mapping }
}

function isMapping(value: unknown): value is Mapping {
  const { columns } = (value ?? {}) as { columns?: unknown }
  return Array.isArray(columns) && columns.every((column) => typeof column?.header === 'string' && 'to' in column)
}

/** Writes what the columns of a file mean; what is open is null. It speaks of all columns that there are. */
export function writeMappingFile(path: string, mapping: Mapping): void {
  const { counts: _counts, ...choices } = mapping
  try {
    writeFileSync(path, `${JSON.stringify({ ...choices, other_columns: 'unused' }, null, 2)}\n`)
  } catch (error) {
    throw usageError(`cannot write the mapping ${path}: ${(error as NodeJS.ErrnoException).code}`)
  }
}

/**
 * Chooses where columns go: as the mapping says, in which each column may be found by its name, then as the options say,
 * and otherwise as is proposed. Of a column that the mapping has and the file doesn't, nothing happens if it is not used.
 */
export function chooseColumns(proposed: Mapping, { mapping, country, uses, answers }: Choices): Mapping {
  const earlier = mapping?.columns ?? []
  const matched = matchEarlier(earlier, keysOfColumns(earlier), keysOfColumns(proposed.columns))
  const columns = proposed.columns.map((column, at): ColumnMapping => {
    const { header } = column
    const given = earlier[matched[at]!]
    const use = uses.get(readName(header))
    if (use === 'custom') return { header, to: 'custom', name: readName(header), type: 'as_written' }
    if (use === 'ignore') return { header, to: 'nothing' }
    const other = mapping?.other_columns === 'unused' ? chooseNewColumn(column) : column
    return answerColumn(given ?? other, answers, ['to'])
  })
  const gone = earlier.filter(({ to }, at) => to !== 'nothing' && !matched.includes(at))
  return { ...proposed, ...mapping, columns: [...columns, ...gone], ...(country ? { country } : {}) }
}

const keysOfColumns = (columns: readonly ColumnMapping[]) => keysOf(columns.map(({ header }) => header))

/**
 * Answers what the values of columns leave open. Columns of the mapping are read as it says, each night alike: what it
 * doesn't say, such as a new word, is open.
 */
export function chooseReadings(chosen: Mapping, completed: Mapping, { mapping, answers }: Choices): Mapping {
  const columns = chosen.columns.map((column, at) => {
    const read = completed.columns[at]!
    if (!mapping?.columns.includes(column)) return read
    const open = COLUMN_QUESTIONS.filter((about) => read[about] === null)
    const { words } = read
    return { ...column, ...(words && { words }), ...Object.fromEntries(open.map((about) => [about, null])) }
  })
  return answerFile({ ...completed, columns: columns.map((column) => answerColumn(column, answers)) }, answers)
}

/** The columns of which nobody has said what they become. */
export function listProposed({ columns }: Mapping, { mapping, uses, answers }: Choices): ColumnMapping[] {
  const isChosen = ({ header }: ColumnMapping) =>
    mapping !== null ||
    isNamedByApi([header]) ||
    uses.has(readName(header)) ||
    answers.some(({ about, column }) => about === 'to' && column === readName(header))
  const isOwn = isNamedByApi(columns.map(({ header }) => header))
  return isOwn ? [] : columns.filter((column) => !isChosen(column) && column.to !== null && column.to !== 'nothing')
}

/** The names of the columns that the mapping of an earlier file doesn't have. */
export function listAdded({ columns }: Mapping, { mapping }: Choices): string[] {
  if (mapping?.other_columns !== 'unused') return []
  const known = new Set(keysOfColumns(mapping.columns))
  const keys = keysOfColumns(columns)
  return columns.flatMap(({ header }, at) => (known.has(keys[at]!) ? [] : [readName(header)]))
}
