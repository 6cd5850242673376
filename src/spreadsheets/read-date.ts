import { simplify } from './recognize-header.ts'

/** Which of the numbers of a date comes first, where its values don't tell. */
export type DateOrder = 'day_first' | 'month_first' | 'year_first'

/** A date as YYYY-MM-DD, null for none; or what is wrong. */
type DateReading = { value: string | null; fault?: undefined } | { value?: undefined; fault: string }

const MAX_LENGTH = 64
/** Midnight, as systems write it behind a date. */
const MIDNIGHT = /[T ]\s*(?:00?:00(?::00(?:\.0+)?)?|12:00(?::00)?\s*a\.?m\.?)\s*(?:Z|UTC|[+-]00:?00)?$/i
/** Dates that stand for none. */
const NONE = /^[-–—.]$|^(?:0{1,4}[-./]0{1,2}[-./]0{1,4}|0{8}|0)$/
/** The years of two digits that are of this century: 00 to 49. */
const CENTURY_TURNS = 50
/** The days since 1899-12-30 that spreadsheets show for a date, from 1927 to 2118. */
const [FIRST_SERIAL, LAST_SERIAL] = [10_000, 80_000]
const DAY_MS = 86_400_000
const SPREADSHEET_EPOCH = Date.UTC(1899, 11, 30)

/**
 * Reads a date as programs and people write it: with numbers, names of months, or as the number of a spreadsheet.
 * `order` decides where a value fits several orders; without it, such a value is a fault.
 */
export function readDate(sent: string, order: DateOrder | null): DateReading {
  const text = strip(sent)
  if (NONE.test(text)) return { value: null }
  const days = text.length > MAX_LENGTH ? [] : listDays(text)
  const fitting = days.filter((day) => day.orders.length === 0 || order === null || day.orders.includes(order))
  const [first, second] = fitting
  if (!first) return { fault: days.length > 0 ? FAULTS.otherOrder : FAULTS.none }
  if (second && second.value !== first.value) return { fault: FAULTS.both }
  return { value: first.value }
}

const FAULTS = {
  none: 'is not a date',
  otherOrder: 'is not a date in the order of this column',
  both: 'may be two different dates: choose the order of day and month for this column',
}

/** The orders in which a value is a date, none if it is the same day in any; null if it is no date. */
export function findDateOrders(sent: string): readonly DateOrder[] | null {
  const text = strip(sent)
  if (NONE.test(text)) return []
  const days = text.length > MAX_LENGTH ? [] : listDays(text)
  if (days.length === 0) return null
  return days.some(({ orders }) => orders.length === 0) ? [] : days.flatMap(({ orders }) => orders)
}

function strip(sent: string): string {
  return sent
    .slice(0, MAX_LENGTH + 1)
    .normalize('NFKC')
    .trim()
    .replace(MIDNIGHT, '')
}

interface Day {
  value: string
  /** The orders in which the text is this day; none if it can be read in one way only. */
  orders: readonly DateOrder[]
}

/** Lists the days that a text may mean. */
function listDays(text: string): Day[] {
  if (/^[0-9]{5}(?:[.,]0+)?$/.test(text)) return readSerial(Number.parseInt(text, 10))
  const compact = /^((?:19|20)[0-9]{2})([0-9]{2})([0-9]{2})$/.exec(text)
  if (compact) return day(compact[1]!, compact[2], compact[3]!, [])
  const [a, b, c, more] = text.split(/[\s./,年月日-]+/).filter((part) => part !== '')
  if (a === undefined || b === undefined || c === undefined || more !== undefined) return []
  if (isYear(a)) return day(a, readMonth(b), c, [])
  const month = [a, b].map(readMonth).find((part, at) => part !== undefined && !/[0-9]/.test([a, b][at]!))
  if (month !== undefined) return day(c, month, /[0-9]/.test(a) ? a : b, [])
  if (isYear(c)) return [...day(c, b, a, ['day_first']), ...day(c, a, b, ['month_first'])]
  return [...day(c, b, a, ['day_first']), ...day(c, a, b, ['month_first']), ...day(a, b, c, ['year_first'])]
}

function readSerial(serial: number): Day[] {
  if (serial < FIRST_SERIAL || serial > LAST_SERIAL) return []
  return [{ value: formatDay(new Date(SPREADSHEET_EPOCH + serial * DAY_MS)), orders: [] }]
}

function formatDay(date: Date): string {
  return date.toISOString().slice(0, 10)
}

const isYear = (text: string) => /^[0-9]{4}$/.test(text)

/** The day, if it exists. */
function day(yearText: string, monthText: string | undefined, dayText: string, orders: readonly DateOrder[]): Day[] {
  const ordinal = dayText.replace(/(?:st|nd|rd|th|er|º|ª)$/i, '')
  if (!/^[0-9]{2}(?:[0-9]{2})?$/.test(yearText) || !/^[0-9]{1,2}$/.test(ordinal)) return []
  if (monthText === undefined || !/^[0-9]{1,2}$/.test(monthText)) return []
  const short = Number(yearText)
  const year = yearText.length === 4 ? short : short + (short < CENTURY_TURNS ? 2000 : 1900)
  const [month, inMonth] = [Number(monthText), Number(ordinal)]
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, inMonth)
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== inMonth) return []
  return [{ value: formatDay(date), orders }]
}

/** Reads the number or the name of a month, as digits. */
function readMonth(text: string): string | undefined {
  return /^[0-9]{1,2}$/.test(text) ? text : MONTHS.get(simplify(text))
}

const LANGUAGES = ['en', 'de', 'fr', 'es', 'it', 'nl', 'pl', 'pt', 'ru']

/** The names of months, also as they follow a day, and their first three letters where these tell the month. */
const MONTHS: ReadonlyMap<string, string> = listMonths()

function listMonths(): Map<string, string> {
  const months = new Map<string, Set<number>>()
  const add = (name: string, month: number) => months.set(name, (months.get(name) ?? new Set()).add(month))
  for (const language of LANGUAGES)
    for (const options of [{ month: 'long' }, { month: 'short' }, { month: 'long', day: 'numeric' }] as const) {
      const format = new Intl.DateTimeFormat(language, { ...options, timeZone: 'UTC' })
      for (let month = 1; month <= 12; month += 1) {
        const parts = format.formatToParts(Date.UTC(2023, month - 1, 1))
        const name = simplify(parts.find(({ type }) => type === 'month')!.value)
        add(name, month)
        if (/^\p{L}{4}/u.test(name)) add(name.slice(0, 3), month)
      }
    }
  return new Map([...months].flatMap(([name, [month, other]]) => (other === undefined ? [[name, String(month)]] : [])))
}
