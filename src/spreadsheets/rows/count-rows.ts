import { trimBlanks } from '../../text/normalize-text.ts'
import { isError } from '../cells.ts'
import type { ColumnMapping, CountedRows, Counts, Mapping } from '../mapping/mapping.ts'
import { isPhone, locateColumns, MAX_FILE_WORDS, MAX_WORDS, NAME_TARGETS, SAYING_WHO_LEFT } from '../mapping/mapping.ts'
import { isTelling, listMarks } from '../values/name-marks.ts'
import { type FilePlan, isManagerUnknown } from './plan-rows.ts'
import { readCountryName } from '../values/read-country.ts'
import { findDateOrders, readDate } from '../values/read-date.ts'
import { isLocalPhone } from '../values/read-phone.ts'
import { isNone } from './read-value.ts'
import { readStatusWord, readWordOf } from '../words/status-words.ts'

/*
 * What all rows of a file say about what nobody has decided. Whatever they say about who has left is either used or
 * asked: an end date that has passed while the row stays active, words whose meaning is open, marks at names, and what
 * stands in the place of an end date.
 */

/** The different dates that are remembered, and the words of a column that are counted. */
const MAX_DATES = 20_000
const MAX_COUNTED_WORDS = 50
/** The longest word that is counted. */
const MAX_WORD = 128
/** The different texts of a kind up to which they may be marks: more of them are names, too. */
const FEW = 12

/** A word of a column that may say who has left. */
interface SeenWord extends CountedRows {
  /** Whether it stands before the name that it marks. */
  isBefore: boolean
}

interface PlacedColumn {
  at: number
  column: ColumnMapping
  seen: Map<string, SeenWord> | null
  /** What the cell of the latest row said, which that of the next one often says, too. */
  latest: { cell: string; words: readonly SaidWord[] } | null
}

/** A word of a cell that may say who has left. */
interface SaidWord {
  mark: string
  isBefore: boolean
  meaning: 'active' | 'inactive' | null
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
      const hasWords = isStatus(column) || SAYING_WHO_LEFT.has(column.to)
      return places[index] === -1 ? [] : { at: places[index]!, column, seen: hasWords ? new Map() : null, latest: null }
    })
    const of = (to: ColumnMapping['to']) => this.#columns.filter(({ column }) => column.to === to)
    this.#ends = of('termination_date')
    this.#phones = this.#columns.filter(({ column }) => isPhone(column.to))
    this.#countries = of('phone_country')
  }

  add(cells: readonly string[]): void {
    const isPast = this.#ends.some(({ at, column }) => this.#isPast(cells[at] ?? '', column))
    let status: 'active' | 'inactive' | 'open' = 'active'
    for (const placed of this.#columns) {
      const { seen } = placed
      if (seen === null) continue
      for (const { mark, isBefore, meaning } of this.#readWords(placed, cells[placed.at] ?? '')) {
        this.#count(seen, mark, isBefore, isPast)
        if (meaning === 'inactive' || (meaning === null && status === 'active')) status = meaning ?? 'open'
      }
    }
    if (isPast && status === 'active') this.#counts.past_end_dates += 1
    const hasCountry = () => this.#countries.some(({ at }) => readCountryName(cells[at] ?? '') !== null)
    if (this.#phones.some(({ at }) => isLocalPhone(trimBlanks(cells[at] ?? ''))) && !hasCountry())
      this.#counts.country += 1
  }

  #readWords(placed: PlacedColumn, cell: string): readonly SaidWord[] {
    const { column, latest } = placed
    if (latest?.cell === cell) return latest.words
    const words = listWords(cell, column).map((word) => ({ ...word, meaning: readMeaning(word.mark, column) }))
    placed.latest = { cell, words }
    return words
  }

  #count(seen: Map<string, SeenWord>, word: string, isBefore: boolean, isPast: boolean): void {
    if (word.length > MAX_WORD) return
    const before = seen.get(word)
    if (before) {
      before.rows += 1
      if (isPast) before.past_end_dates += 1
    } else if (seen.size < (isTelling(word) ? MAX_WORDS : MAX_COUNTED_WORDS) && this.#words < MAX_FILE_WORDS) {
      seen.set(word, { rows: 1, past_end_dates: isPast ? 1 : 0, isBefore })
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

  /**
   * Whether a word is asked, if nobody has said what it means. Those of statuses are known from the sample, apart from
   * none, which says nothing, unless somebody relies on the status against an end date.
   */
  #isAsked(word: string, { past_end_dates: past }: CountedRows, { to }: ColumnMapping): boolean {
    if (to === null) return false
    return to !== 'status' || (word === '' && past > 0 && this.#mapping.past_end_dates === 'keep')
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
      const seen = chooseWords(column, seenOf.get(this.#mapping.columns[index]!) ?? new Map())
      if (seen.length === 0) return column
      const open = seen.filter(([word, counted]) => this.#isAsked(word, counted, column))
      const words = { ...Object.fromEntries(open.map(([word]) => [word, null])), ...column.words }
      return { ...column, seen: Object.fromEntries(seen), ...(open.length > 0 ? { words } : {}) }
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

const isStatus = ({ to, likely }: ColumnMapping) => to === 'status' || (to === null && likely === 'status')

/** Lists what a cell has that may say who has left. */
function listWords(cell: string, column: ColumnMapping): { mark: string; isBefore: boolean }[] {
  if (NAME_TARGETS.has(column.to)) return listMarks(cell)
  if (isStatus(column)) return [{ mark: readWordOf(cell), isBefore: false }]
  const word = trimBlanks(cell.slice(0, MAX_WORD + 1))
  return isNoDate(word) ? [{ mark: word, isBefore: false }] : []
}

/** Whether a text is none of the values of an end date. A date that can't be read is a fault of its row. */
function isNoDate(text: string): boolean {
  if (isNone(text, 'termination_date') || (/\p{Nd}/u.test(text) && !isError(text))) return false
  return text !== '' && text.length <= MAX_WORD && findDateOrders(text) === null
}

/** Chooses the words that are asked, with what the rows say: of marks, those that tell by themselves, or are repeated. */
function chooseWords({ to, words = {} }: ColumnMapping, seen: ReadonlyMap<string, SeenWord>) {
  const all = [...seen]
  const isFew = (side: boolean) => all.filter(([, { isBefore }]) => isBefore === side).length <= FEW
  const isMark = ([mark, { rows, isBefore }]: (typeof all)[number]) =>
    Object.hasOwn(words, mark) || isTelling(mark) || (rows > 1 && isFew(isBefore))
  const chosen = NAME_TARGETS.has(to) ? all.filter(isMark) : to === 'termination_date' && !isFew(false) ? [] : all
  return chosen.map(([word, { rows, past_end_dates }]): [string, CountedRows] => [word, { rows, past_end_dates }])
}

/** What a word says: nothing if it is open, or unknown. An empty cell says nothing either, so that people stay. */
function readMeaning(word: string, { to, words = {} }: ColumnMapping): 'active' | 'inactive' | null {
  if (to === null) return null
  if (Object.hasOwn(words, word)) return words[word] ?? null
  if (NAME_TARGETS.has(to)) return isTelling(word) ? null : 'active'
  return word === '' ? 'active' : (readStatusWord(word) ?? null)
}
