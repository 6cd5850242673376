import { FileError } from '../file-error.ts'

/** The rows and the cells of a sheet that may be read, and the cells that a link may have. */
export const MAX_ROWS = 200_000
export const MAX_CELLS = 2_000
const MAX_LINKED = 10_000

const LINKS = /<(?:\w+:)?hyperlink\s[^<>]*?\bref=["']([A-Z]+)(\d+):([A-Z]+)(\d+)/g
const REPEATED_CELLS = /<(?:[\w-]+:)?table-cell\s[^<>]*?number-columns-repeated=["'](\d+)[^<>]*/g
const REPEATED_ROWS = /<(?:[\w-]+:)?table-row\s[^<>]*?number-rows-repeated=["'](\d+)[^<>]*/g
const FILLED_CELL = /<(?:[\w-]+:)?table-cell(?:\s[^<>]*)?(?<!\/)>/

/**
 * Refuses a part of a workbook that stands for more rows or cells than may be read: a few bytes can repeat a row or a
 * cell, or link all cells of a sheet, and a reader would walk through each. Empty ones may be repeated.
 */
export function refuseRepetitions(part: Buffer): void {
  if (part.includes('hyperlink')) refuseLinks(part.toString('latin1'))
  if (part.includes('-repeated')) refuseRepeated(part.toString('latin1'))
}

function refuseLinks(text: string): void {
  for (const [, column, row, lastColumn, lastRow] of text.matchAll(LINKS)) {
    const [width, height] = [numberOf(lastColumn!) - numberOf(column!) + 1, Number(lastRow) - Number(row) + 1]
    if (width * height > MAX_LINKED) throw new FileError(1, `A link of the workbook has more than ${MAX_LINKED} cells`)
  }
}

/** The number of a column, from 1. */
function numberOf(letters: string): number {
  return [...letters].reduce((sum, letter) => 26 * sum + letter.charCodeAt(0) - 64, 0)
}

function refuseRepeated(text: string): void {
  for (const [cell, times] of text.matchAll(REPEATED_CELLS))
    if (Number(times) > MAX_CELLS && !cell.endsWith('/'))
      throw new FileError(1, `A row of the sheet has more than ${MAX_CELLS} cells`)
  for (const { 0: row, 1: times, index } of text.matchAll(REPEATED_ROWS)) {
    if (Number(times) <= MAX_ROWS || row.endsWith('/')) continue
    const end = text.indexOf('table-row>', index)
    if (FILLED_CELL.test(text.slice(index, end === -1 ? undefined : end)))
      throw new FileError(1, `The sheet has more than ${MAX_ROWS} rows. Split it, or save it as CSV (UTF-8)`)
  }
}
