/*
 * How a workbook shows rows that may be no longer valid: struck through, on a colored ground, or not at all. Only
 * people know what that means, so it is noted.
 */

export type RowMark = 'struck' | 'filled' | 'hidden'

/** The lines of the records that have a mark. */
export type MarkedLines = Readonly<Record<RowMark, number[]>>

/** The marked rows that are named. */
const MAX_NAMED = 5
/** Of so many rows, one has a color that may mean something. */
const FEW = 3

/** Describes that rows are struck through, as those of people who have left may be, or that a few of them have a color. */
export function describeMarks({ struck, filled, hidden }: MarkedLines, rows: number): string[] {
  const found = []
  if (struck.length > 0) found.push(describe(struck, 'struck through'))
  if (hidden.length > 0) found.push(describe(hidden, 'hidden'))
  if (filled.length > 0 && filled.length * FEW <= rows) found.push(describe(filled, 'colored'))
  return found
}

function describe(lines: readonly number[], how: string): string {
  const named = lines.slice(0, MAX_NAMED).join(', ') + (lines.length > MAX_NAMED ? ', …' : '')
  const who = lines.length === 1 ? `Row ${named} is` : `Rows ${named} are`
  return `${who} ${how}, which is not read: say in a column who has left`
}
