import { trimBlanks } from '../text/normalize-text.ts'
import type { ColumnMapping, CountedRows, Counts, Mapping } from './mapping.ts'
import { locateColumns, MAX_FILE_WORDS } from './mapping.ts'
import { type FilePlan, isManagerUnknown } from './plan-rows.ts'
import { readCountryName } from './read-country.ts'
import { readDate } from './read-date.ts'
import { isLocalPhone } from './read-phone.ts'
import { readStatusWord, readWordOf } from './status-words.ts'

/*
 * What all rows of a file say about what nobody has decided. Whatever they say about who has left is either used or
 * asked: an end date that has passed while the row stays active, and words whose meaning is open.
 */

/** The different dates that are remembered, and the words of a column that are counted. */
const MAX_DATES = 20_000
const MAX_COUNTED_WORDS = 50
/** The longest word that is counted. */
const MAX_WORD = 128

interface PlacedColumn {
  at: number
  column: ColumnMapping
  seen: Map<string, CountedRows> | null
}

/** Counts the rows of a file as a mapping reads them. `today` is YYYY-MM-DD. */
export class RowCounts {
  readonly #mapping: Mapping
  readonly #today: string
  readonly #columns: PlacedColumn[]
  readonly #ends: PlacedColumn[]
  readonly #phones: PlacedColumn[]
  readonly #countries: PlacedColumn[]
  readonly #past = new Map<string, boolean>()
  /** How many words of all columns are counted. */
  #words = 0
  readonly #counts: Counts = {
    past_end_dates: 0,
    country: 0,
    unknown_managers: 0,
    same_addresses: 0,
    stored_end_dates: 0,
  }

  constructor(header: readonly string[], mapping: Mapping, today: string) {
    this.#mapping = mapping
    this.#today = today
    const places = locateColumns(header, mapping.columns)
    this.#columns = mapping.columns.flatMap((column, index) => {
      const { to, likely } = column
      const isWord = to === 'status' || (to === null && likely === 'status')
      return places[index] === -1 ? [] : { at: places[index]!, column, seen: isWord ? new Map() : null }
    })
    const of = (to: ColumnMapping['to']) => this.#columns.filter(({ column }) => column.to === to)
    this.#ends = of('termination_date')
    this.#phones = of('phone')
    this.#countries = of('phone_country')
  }

  add(cells: readonly string[]): void {
    const isPast = this.#ends.some(({ at, column }) => this.#isPast(cells[at] ?? '', column))
    let status: 'active' | 'inactive' | 'open' = 'active'
    for (const { at, column, seen } of this.#columns) {
      if (seen === null) continue
      const word = readWordOf(cells[at] ?? '')
      this.#count(seen, word, isPast)
      const meaning = column.to === null ? null : readMeaning(word, column)
      if (meaning === 'inactive' || (meaning === null && status === 'active')) status = meaning ?? 'open'
    }
    if (isPast && status === 'active') this.#counts.past_end_dates += 1
    const hasCountry = () => this.#countries.some(({ at }) => readCountryName(cells[at] ?? '') !== null)
    if (this.#phones.some(({ at }) => isLocalPhone(trimBlanks(cells[at] ?? ''))) && !hasCountry())
      this.#counts.country += 1
  }

  #count(seen: Map<string, CountedRows>, word: string, isPast: boolean): void {
    if (word.length > MAX_WORD) return
    const before = seen.get(word)
    if (before) {
      before.rows += 1
      if (isPast) before.past_end_dates += 1
    } else if (seen.size < MAX_COUNTED_WORDS && this.#words < MAX_FILE_WORDS) {
      seen.set(word, { rows: 1, past_end_dates: isPast ? 1 : 0 })
      this.#words += 1
    }
  }

  #isPast(cell: string, { dates, clock, calendar }: ColumnMapping): boolean {
    if (trimBlanks(cell) === '' || cell.length > MAX_WORD) return false
    const known = this.#past.get(cell)
    if (known !== undefined) return known
    // While the order is open, a date in either counts.
    const orders = dates ? [dates] : (['day_first', 'month_first'] as const)
    const isPast = orders.some((order) => {
      const { value } = readDate(cell, { order, clock: clock ?? 'ignore', calendar: calendar ?? 'gregorian' })
      return typeof value === 'string' && value < this.#today
    })
    if (this.#past.size < MAX_DATES) this.#past.set(cell, isPast)
    return isPast
  }

  /** The mapping with what was counted here, and in the company. */
  finish(
    { plans }: Pick<FilePlan, 'plans'>,
    { absent, linkable, returning = 0 }: { absent: number; linkable: number; returning?: number },
  ): Mapping {
    let unknown = absent
    for (const plan of plans.values()) if (isManagerUnknown(plan)) unknown += 1
    const seenOf = new Map(this.#columns.map(({ column, seen }) => [column, seen]))
    const columns = this.#mapping.columns.map(({ seen: _seen, ...column }, index) => {
      const seen = seenOf.get(this.#mapping.columns[index]!)
      return seen && seen.size > 0 ? { ...column, seen: Object.fromEntries(seen) } : column
    })
    return {
      ...this.#mapping,
      columns,
      counts: {
        ...this.#counts,
        unknown_managers: unknown,
        same_addresses: linkable,
        stored_end_dates: returning,
      },
    }
  }
}

/** What a status says: nothing if it is open, or unknown. An empty cell says nothing either, so that people stay. */
function readMeaning(word: string, { words = {} }: ColumnMapping): 'active' | 'inactive' | null {
  if (Object.hasOwn(words, word)) return words[word] ?? null
  return word === '' ? 'active' : (readStatusWord(word) ?? null)
}
