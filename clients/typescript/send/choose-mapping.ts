import { readFileSync, writeFileSync } from 'node:fs'
import { readName } from '../../../src/spreadsheets/cells.ts'
import {
  COLUMN_QUESTIONS,
  type ColumnMapping,
  FILE_QUESTIONS,
  type Mapping,
  keysOf,
  matchEarlier,
  USUAL_CHOICES,
} from '../../../src/spreadsheets/mapping/mapping.ts'
import { chooseNewColumn } from '../../../src/spreadsheets/mapping/new-column.ts'
import { isNamedByApi } from '../../../src/spreadsheets/mapping/record-columns.ts'
import { type Answer, answerColumn, canBe, type Choice, listValues } from './answers.ts'
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
    // Programs of Windows begin a file with U+FEFF.
    mapping = JSON.parse(readFileSync(path, 'utf8').replace(/^\ufeff/, ''))
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw usageError(
      code === undefined ? `${path} is not JSON: ${message}` : `cannot read the mapping ${path}: ${code}`,
    )
  }
  if (!isMapping(mapping))
    throw usageError(`${path} is not a mapping: write one with --save-map, or download one from the page of a file`)
  const { counts: _counts, needs_review: _review, columns, ...choices } = mapping
  const wrong =
    findWrong(Object.entries(choices), OF_FILE) ?? columns.map(findWrongOfColumn).find((text) => text !== null)
  if (wrong) throw usageError(`${path}: ${wrong}`)
  return { ...USUAL_CHOICES, ...choices, columns }
}

function isMapping(value: unknown): value is Mapping {
  const { columns } = (value ?? {}) as { columns?: unknown }
  return Array.isArray(columns) && columns.every((column) => typeof column?.header === 'string' && 'to' in column)
}

const OF_FILE: ReadonlySet<string> = new Set([...Object.keys(USUAL_CHOICES), 'other_columns'])
const OF_COLUMN: ReadonlySet<string> = new Set([...COLUMN_QUESTIONS, 'type', 'empty_cells'])
const CAN_BE_OPEN: ReadonlySet<string> = new Set([...COLUMN_QUESTIONS, ...FILE_QUESTIONS])

function findWrongOfColumn(column: ColumnMapping): string | null {
  const { header, name = '', words, likely: _likely, seen: _seen, ...readings } = column
  const ofWords = Object.entries(words ?? {}).map(([word, status]) => [`words:${word}`, status] as const)
  const choices = [...Object.entries(readings), ...ofWords]
  const wrong = typeof name === 'string' ? findWrong(choices, OF_COLUMN) : 'name must be a text'
  return wrong && `column ${JSON.stringify(header)}: ${wrong}`
}

/** Says which choice of a mapping, which people write, is none, or cannot be what it is; null if none is. */
function findWrong(choices: readonly (readonly [label: string, value: unknown])[], known: ReadonlySet<string>) {
  for (const [label, value] of choices) {
    const [name] = label.split(':') as [Choice]
    if (!known.has(name)) return `a mapping has no choice "${label}"`
    if (!canBe(name, value) && !(value === null && CAN_BE_OPEN.has(name)))
      return `${label} is ${JSON.stringify(value)}, and must be ${listValues(name)}`
  }
  return null
}

/** Writes what the columns of a file mean; what is open is null. It speaks of all columns that there are. */
export function writeMappingFile(path: string, mapping: Mapping): void {
  const { counts: _counts, needs_review: _review, ...choices } = mapping
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
