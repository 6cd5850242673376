import { trimBlanks } from '../../text/normalize-text.ts'
import type { FileRow } from '../tables/file-row.ts'
import { listFilled, MAX_CELL } from './table-shape.ts'

/* The rows around the one that names the columns. */

/** What programs write for other programs: `sep=;` is for Excel, `#TYPE` is of PowerShell. */
export function isAboutFile({ cells: [first = ''] }: FileRow): boolean {
  return /^(?:sep=|#TYPE\b)/i.test(first)
}

/** Puts the headings of the line above before names that occur several times: Work phone, Home phone. */
export function nameRepeated(rows: readonly FileRow[], at: number): FileRow {
  const header = rows[at]!
  const above = rows[at - 1]
  if (!above || listFilled(above).length < 2 || above.line !== header.line - 1 || isAboutFile(above)) return header
  const times = new Map<string, number>()
  for (const name of header.cells) times.set(name, (times.get(name) ?? 0) + 1)
  let heading = ''
  return {
    ...header,
    cells: header.cells.map((name, column) => {
      const own = above.cells[column]?.trim() ?? ''
      if (own !== '') heading = own
      return trimBlanks(name) !== '' && times.get(name)! > 1 ? `${heading} ${name}`.trim() : name
    }),
  }
}

/**
 * Puts the names of the row below behind headings of several columns, where the header has no name of its own, as for the
 * cells that are merged with the heading: Contact | → Contact Email, Contact Phone.
 */
export function nameTwice(header: FileRow, below: FileRow): FileRow {
  const nameOf = ({ cells }: FileRow, at: number) => trimBlanks(cells[at] ?? '')
  const isPart = (at: number) => nameOf(header, at) === '' && nameOf(below, at) !== ''
  let heading = ''
  const cells = Array.from({ length: Math.max(header.cells.length, below.cells.length) }, (_, at) => {
    heading = nameOf(header, at) || heading
    const isGroup = nameOf(below, at) !== '' && (isPart(at) || isPart(at + 1))
    return isGroup ? `${heading} ${nameOf(below, at)}`.trim() : (header.cells[at] ?? '')
  })
  return { ...header, cells }
}

/** A title, whatever its numbers, such as those of pages. */
export function foldTitle(row: FileRow): string {
  return listFilled(row)
    .map((cell) => cell.slice(0, MAX_CELL))
    .join(' ')
    .replaceAll(/\d+/g, '0')
}
