import { trimBlanks } from '../../text/normalize-text.ts'
import type { FileRow } from '../tables/file-row.ts'

/* How the cells of a table are filled, which tells its records from titles, headings, totals, and notes. */

/** The characters of a cell that are looked at. */
export const MAX_CELL = 256

/** What is in a cell rather than its name: a number, a date, or an address. */
export function isValue(cell: string): boolean {
  const text = trimBlanks(cell.slice(0, MAX_CELL))
  return text.includes('@') || (/^[\s\d.,:;/()+'"=TZ-]+$/.test(text) && /\d/.test(text))
}

/** The share of a column's cells that are alike. */
const USUAL_SHARE = 0.7

/** The cells of a row that show something. */
export function listFilled({ cells }: Pick<FileRow, 'cells'>): string[] {
  return cells.filter((cell) => trimBlanks(cell) !== '')
}

/** A line that is drawn between rows. */
const RULE = /^[-=_*+~]{3,}$/

/** Cells that show nothing, such as blanks, are empty, too, and so is a row that is only a line. */
export function isEmpty(row: FileRow): boolean {
  return listFilled(row).every((cell) => RULE.test(cell.slice(0, MAX_CELL)))
}

const TOTAL =
  /^(?:grand |sub-?)?(?:total|totals|count|sum|summe|gesamt|gesamtsumme|anzahl|somme|nombre|totale|totaal|aantal|razem|suma|ogółem|liczba|soma|итого|всего|合計|総計|件数|合计|总计|總計|합계|총계)\b|^(?:合計|総計|件数|合计|总计|總計|합계|총계|итого|всего)/iu

/** Whether a row says how many or how much the rows above it are. */
export function isTotal(row: FileRow): boolean {
  const filled = listFilled(row).map((cell) => cell.slice(0, MAX_CELL))
  return TOTAL.test(filled[0]?.trim() ?? '') && /^[^@]*\d[^@]*$/.test(filled.join(' '))
}

/** How many cells a row of the table fills: three quarters of the rows fill no more. */
export function typicalWidth(rows: readonly FileRow[]): number {
  const widths = rows.flatMap((row) => (isEmpty(row) ? [] : listFilled(row).length)).toSorted((a, b) => a - b)
  return widths[Math.floor(widths.length * 0.75)] ?? 0
}

/** What the values of a column look like, as far as that tells records from other rows. */
type Kind = 'address' | 'digits' | 'code' | 'text'

function kindOf(cell: string): Kind {
  const text = trimBlanks(cell.slice(0, MAX_CELL))
  if (text.includes('@')) return 'address'
  if (/^[\d.,:;/()+'"= -]*$/.test(text)) return 'digits'
  return /\d/.test(text) && !/\s/.test(text) ? 'code' : 'text'
}

/** How the cells of a table are filled. A row that doesn't fit is a note, a heading, or a total. */
export class TableShape {
  readonly #kinds: (Kind | null)[] = []
  readonly #filled: number[] = []
  readonly #width: number

  constructor(rows: readonly FileRow[]) {
    this.#width = typicalWidth(rows)
    const counts: Map<Kind, number>[] = []
    for (const row of rows) {
      if (listFilled(row).length * 2 <= this.#width) continue
      for (const [at, cell] of row.cells.entries()) {
        if (trimBlanks(cell) === '') continue
        const kind = kindOf(cell)
        counts[at] ??= new Map()
        counts[at].set(kind, (counts[at].get(kind) ?? 0) + 1)
        this.#filled[at] = (this.#filled[at] ?? 0) + 1
      }
    }
    for (const [at, kinds] of counts.entries()) {
      const [best] = [...(kinds ?? [])].toSorted(([, a], [, b]) => b - a)
      this.#kinds[at] = best && best[1] >= (this.#filled[at] ?? 0) * USUAL_SHARE ? best[0] : null
    }
  }

  /** Whether a cell looks like the column, where columns look differently than names do; null if that tells nothing. */
  compare(at: number, cell: string): boolean | null {
    const kind = this.#kinds[at] ?? null
    return kind === null || kind === 'text' ? null : kindOf(cell) === kind
  }

  get filledWidth(): number {
    return this.#filled.length
  }

  isFilled(at: number): boolean {
    return (this.#filled[at] ?? 0) > 0
  }

  /** Whether a row is perhaps no record: it has a cell or two, which are not what their columns have. */
  isNoRecord(row: FileRow, count: number): boolean {
    const filled = listFilled(row)
    const isSmall = filled.length * 2 <= this.#width
    if (isTotal(row) && (isSmall || filled.length === 1)) return true
    if (this.#width < 3 || !isSmall) return false
    if (this.isCount(row, count)) return true
    if (filled.length === 1) return !this.#isValue(row)
    // Two texts of which one stands where others have an address, or a number, and none is what its column has.
    const compared = row.cells.flatMap((cell, at) => (trimBlanks(cell) === '' ? [] : [this.compare(at, cell)]))
    return filled.length === 2 && filled.every((cell) => kindOf(cell) === 'text') && compared.includes(false)
  }

  /** Whether the row has a text and the number of rows, or numbers where other rows have something else. */
  isCount(row: FileRow, count: number): boolean {
    const [label, ...numbers] = [...row.cells.entries()].filter(([, cell]) => trimBlanks(cell) !== '')
    if (!label || numbers.length === 0 || numbers.length > 2 || (numbers.length + 1) * 2 > this.#width) return false
    if (kindOf(label[1]) !== 'text' || numbers.some(([, cell]) => kindOf(cell) !== 'digits')) return false
    const isOther = (at: number) => this.#kinds[at] !== 'digits'
    const isOfRows = numbers.some(([, cell]) => Number(cell.slice(0, MAX_CELL)) === count)
    return isOfRows || this.#kinds[label[0]] !== 'text' || numbers.every(([at]) => isOther(at))
  }

  /** Whether a row has a text and one number, which is not that of the rows above it. */
  isCountBelow(row: FileRow, above: readonly number[]): boolean {
    const [, number, more] = listFilled(row)
    if (number === undefined || more !== undefined || !/^[1-9]\d{0,3}$/.test(number)) return false
    return this.isCount(row, 0) && !above.includes(Number(number))
  }

  /** Whether the only cell of a row is what its column has: somebody of whom nothing else is known. */
  #isValue({ cells }: FileRow): boolean {
    const at = cells.findIndex((cell) => trimBlanks(cell) !== '')
    const kind = kindOf(cells[at]!)
    if (kind === 'address' || kind === 'code') return true
    return kind === 'digits' ? this.#kinds[at] === kind : false
  }

  /** Whether rows have headings above them: one text, with records below it. */
  hasHeadings(rows: readonly FileRow[]): boolean {
    const last = rows.findLastIndex((row) => !isEmpty(row) && !this.isNoRecord(row, 0))
    let [count, above] = [0, 0]
    for (const row of rows.slice(0, Math.max(last, 0))) {
      if (isEmpty(row)) continue
      if (!this.isNoRecord(row, count)) {
        count += 1
        above += 1
        continue
      }
      const isNoCount = !this.isCount(row, count) || this.isCountBelow(row, [count, above])
      if (!isTotal(row) && isNoCount) return true
      above = 0
    }
    return false
  }
}
