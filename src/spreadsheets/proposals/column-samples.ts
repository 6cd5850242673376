import { trimBlanks } from '../../text/normalize-text.ts'
import { isError, isNothing } from '../cells.ts'

/** The values of a column that are looked at to find out what it is. */
export interface ColumnSample {
  /** Different values without the blanks around them, and how often they were seen. Never the values of secret columns. */
  values: ReadonlyMap<string, number>
  /** The number of cells that are not empty. */
  filled: number
}

/** What is looked at of a file: some values of each column, and its first rows. */
export interface FileSample {
  columns: readonly ColumnSample[]
  rows: readonly (readonly string[])[]
  /** How many rows the file has. */
  count: number
}

/** The different values of a column, the characters of a value, and of all values of a file. */
const MAX_VALUES = 500
const MAX_VALUE = 128
const MAX_CHARACTERS = 4_194_304
const MAX_ROWS = 200

/** Collects the different values of each column. */
export function collectSamples(width: number): { add(cells: readonly string[]): void; sample: FileSample } {
  const columns = Array.from({ length: width }, () => ({ values: new Map<string, number>(), filled: 0 }))
  const rows: (readonly string[])[] = []
  const sample = { columns, rows, count: 0 }
  let characters = 0
  return {
    sample,
    add(cells) {
      sample.count += 1
      if (rows.length < MAX_ROWS) rows.push(cells.map((cell) => cell.slice(0, MAX_VALUE)))
      for (let at = 0; at < Math.min(width, cells.length); at += 1) {
        const cell = cells[at]!
        if (cell === '') continue
        const column = columns[at]!
        column.filled += 1
        const count = column.values.get(cell)
        if (count !== undefined) column.values.set(cell, count + 1)
        else if (column.values.size < MAX_VALUES && cell.length <= MAX_VALUE && characters < MAX_CHARACTERS) {
          const value = trimBlanks(cell)
          column.values.set(value, (column.values.get(value) ?? 0) + 1)
          characters += value.length
        }
      }
    },
  }
}

const isEmpty = (cell: string) => isNothing(cell) || isError(cell)

/** The sample without what stands for nothing, and errors of spreadsheets, which don't tell what a column is. */
export function withoutNothing({ columns, rows, count }: FileSample): FileSample {
  return {
    columns: columns.map(({ values, filled }) => {
      const some = [...values].filter(([value]) => !isEmpty(value))
      const left = [...values].reduce((sum, [value, times]) => sum + (isEmpty(value) ? times : 0), 0)
      return left === 0 ? { values, filled } : { values: new Map(some), filled: filled - left }
    }),
    rows: rows.map((cells) => cells.map((cell) => (isEmpty(cell) ? '' : cell))),
    count,
  }
}
