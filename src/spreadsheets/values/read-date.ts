import { simplify } from '../words/recognize-header.ts'

/** Which of the numbers of a date comes first, where its values don't tell. */
export type DateOrder = 'day_first' | 'month_first' | 'year_first'

/** In which calendar the years of a column are. */
export type Calendar = 'gregorian' | 'buddhist' | 'islamic' | 'persian' | 'minguo'

/** How the dates of a column are read. What is null is open. */
export interface DateRules {
  order?: DateOrder | null | undefined
  /** What a time of day does: nothing, so that the day is as written; or it makes the value a fault. */
  clock?: 'ignore' | 'refuse' | null | undefined
  calendar?: Calendar | null | undefined
}

/** A date as YYYY-MM-DD, null for none; or what is wrong. */
type DateReading = { value: string | null; fault?: undefined } | { value?: undefined; fault: string }

const MAX_LENGTH = 64
/** Midnight, as systems write it behind a date. */
const MIDNIGHT = /[T ]\s*(?:00?:00(?::00(?:\.0+)?)?|12:00(?::00)?\s*a\.?m\.?)\s*(?:Z|UTC|[+-]00:?00)?$/i
const TIME =
  /[T ]\s*[0-9]{1,2}[:.][0-9]{2}(?:[:.][0-9]{2}(?:[.,][0-9]{1,9})?)?(?:\s?[ap]\.?m\.?)?(?:\s?(?:Z|UTC|[+-][0-9]{2}:?[0-9]{2}))?$/i
/** Dates that stand for none. */
const NONE = /^[-–—.]$|^(?:0{1,4}[-./]0{1,2}[-./]0{1,4}|0{8}|0)$/
/**
 * The first year of programs, and those that nobody lives to see, stand for no date, too: 2999-12-31. So do the first and
 * the last days of the years before them: 2099-12-31.
 */
const NO_DATE = /^(?:0001|2[2-9][0-9]{2}|[3-9][0-9]{3})-|^2(?:09|1[0-9])[0-9]-(?:01-01|12-31)$/
/** The years of two digits that are of this century: 00 to 49. */
const CENTURY_TURNS = 50
/** The days since 1899-12-30 that spreadsheets show for a date, from 1927 to 2118. */
const [FIRST_SERIAL, LAST_SERIAL] = [10_000, 80_000]
const DAY_MS = 86_400_000
const SPREADSHEET_EPOCH = Date.UTC(1899, 11, 30)

/**
 * Reads a date as programs and people write it: with numbers, names of months, or as the number of a spreadsheet.
 * The order decides where a value fits several; without it, such a value is a fault.
 */
export function readDate(sent: string, rules: DateOrder | DateRules | null): DateReading {
  const { order = null, clock, calendar = 'gregorian' } = typeof rules === 'string' ? { order: rules } : (rules ?? {})
  const { text, isTimed } = strip(sent)
  if (NONE.test(text)) return { value: null }
  if (isTimed && clock !== 'ignore') return { fault: FAULTS.timed }
  if (calendar === null) return { fault: FAULTS.calendar }
  const days = text.length > MAX_LENGTH ? [] : listDays(text, calendar)
  const fitting = days.filter((day) => day.orders.length === 0 || order === null || day.orders.includes(order))
  const [first, second] = fitting
  if (!first) return { fault: days.length > 0 ? FAULTS.otherOrder : FAULTS.none }
  if (NO_DATE.test(first.value)) return { value: null }
  if (second && second.value !== first.value) return { fault: FAULTS.both }
  return { value: first.value }
}

const FAULTS = {
  none: 'is not a date',
  timed: 'is not a date: it has a time of day',
  calendar: 'has a year of another calendar: choose the calendar of this column',
  otherOrder: 'is not a date in the order of this column',
  both: 'may be two different dates: choose the order of day and month for this column',
}

/** The orders in which a value is a date, none if it is the same day in any; null if it is no date. */
export function findDateOrders(sent: string): readonly DateOrder[] | null {
  const { text } = strip(sent)
  if (NONE.test(text)) return []
  const days = text.length > MAX_LENGTH ? [] : listDays(text, guessCalendar(text))
  if (days.length === 0) return null
  return days.some(({ orders }) => orders.length === 0) ? [] : days.flatMap(({ orders }) => orders)
}

/** Whether a text has a time of day behind a date, apart from midnight. */
export function hasTime(sent: string): boolean {
  return strip(sent).isTimed
}

/** Whether the year of a date is likely to be one of another calendar: Buddhist, of the Hijra, or of the Republic. */
export function isOtherYear(sent: string): boolean {
  const { text } = strip(sent)
  if (guessCalendar(text) === 'minguo') return listDays(text, 'minguo').length > 0
  const [day] = text.length > MAX_LENGTH ? [] : listDays(text, 'gregorian')
  return day !== undefined && OTHER_YEAR.test(day.value)
}

/** Years of three digits, from 1971 to 2040, are those of the Republic of China. */
function guessCalendar(text: string): Calendar {
  return /^(?:0[6-9]|1[0-2])[0-9][./年-][0-9]{1,2}[./月-][0-9]{1,2}日?$/.test(text) ? 'minguo' : 'gregorian'
}

/** The years around now in these calendars: 1300 to 1499, and 2440 to 2639. */
const OTHER_YEAR = /^(?:1[34]|24[4-9]|25|26[0-3])[0-9]+-/

function strip(sent: string): { text: string; isTimed: boolean } {
  const text = readMoment(
    sent
      .slice(0, MAX_LENGTH + 1)
      .normalize('NFKC')
      .trim(),
  )
    .replaceAll(/(?![0-9])\p{Nd}/gu, readDigit)
    .replace(MIDNIGHT, '')
  const day = text.replace(TIME, '')
  return { text: readEra(day.replace(YEAR_MARK, '')), isTimed: day !== text }
}

/** A moment as OData and .NET write it, in milliseconds since 1970: /Date(1611532800000+0000)/. */
const MOMENT = /^\/Date\((-?[0-9]{1,14})(?:[+-][0-9]{4})?\)\/$/

function readMoment(text: string): string {
  const moment = MOMENT.exec(text)?.[1]
  return moment === undefined ? text : new Date(Number(moment)).toISOString().replace(/\.000Z$/, 'Z')
}

/** Writes a digit of another script as one of ours: the ten of a script follow each other. */
function readDigit(digit: string): string {
  let zero = digit.codePointAt(0)!
  while (/\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero -= 1
  return String((digit.codePointAt(0)! - zero) % 10)
}

/** The letter behind a year in Bulgarian, Russian, and Ukrainian: 11.03.2013 г. */
const YEAR_MARK = /(?<=[0-9]{4})\s?\p{Script=Cyrillic}\.?$/u

/** The year before the first of the Republic of China. */
const MINGUO_YEARS = 1911

/** The eras of Japan and of the Republic of China, and the year before their first. */
const ERAS: ReadonlyMap<string, number> = new Map([
  ['昭和', 1925],
  ['平成', 1988],
  ['令和', 2018],
  ['民國', MINGUO_YEARS],
  ['民国', MINGUO_YEARS],
  ['S', 1925],
  ['H', 1988],
  ['R', 2018],
])
const YEAR_OF_ERA = /^(昭和|平成|令和|民[國国]|[SHR](?=[0-9]+[./年]))\s*([0-9]{1,3}|元)(?=\s?[./年-])/

/** Writes the year of an era as one of our calendar: 令和3年4月1日 is 2021年4月1日. */
function readEra(text: string): string {
  return text.replace(YEAR_OF_ERA, (_, era: string, year: string) =>
    String(ERAS.get(era)! + (year === '元' ? 1 : Number(year))),
  )
}

interface Day {
  value: string
  /** The orders in which the text is this day; none if it can be read in one way only. */
  orders: readonly DateOrder[]
}

/** Lists the days that a text may mean. */
function listDays(text: string, calendar: Calendar): Day[] {
  const day = (year: string, month: string | undefined, inMonth: string, orders: readonly DateOrder[]) =>
    findDay(year, month, inMonth, orders, calendar)
  if (calendar === 'minguo') return readMinguo(text)
  if (/^[0-9]{5}(?:[.,]0+)?$/.test(text)) return readSerial(Number.parseInt(text, 10))
  const compact = /^((?:1[3-9]|2[0-6]|99)[0-9]{2}|2999)([0-9]{2})([0-9]{2})$/.exec(text)
  if (compact) return day(compact[1]!, compact[2], compact[3]!, [])
  const [a, b, c, more] = text.split(/[\s./,年月日년월일-]+/).filter((part) => part !== '')
  if (a === undefined || b === undefined || c === undefined || more !== undefined) return []
  if (isYear(a)) return day(a, readMonth(b), c, [])
  const month = [a, b].map(readMonth).find((part, at) => part !== undefined && !/[0-9]/.test([a, b][at]!))
  if (month !== undefined) return day(c, month, /[0-9]/.test(a) ? a : b, [])
  if (isYear(c)) return [...day(c, b, a, ['day_first']), ...day(c, a, b, ['month_first'])]
  return [...day(c, b, a, ['day_first']), ...day(c, a, b, ['month_first']), ...day(a, b, c, ['year_first'])]
}

/** Reads a date of the Republic of China, whose year stands first: 98/8/1, 113-01-31, 1130131. */
function readMinguo(text: string): Day[] {
  const [, year, month, inMonth] =
    /^([0-9]{2,3})[./年-]([0-9]{1,2})[./月-]([0-9]{1,2})日?$/.exec(text) ??
    /^([0-9]{2,3})([0-9]{2})([0-9]{2})$/.exec(text) ??
    []
  if (year === undefined) return []
  return findDay(String(Number(year) + MINGUO_YEARS), month, inMonth!, [], 'minguo')
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
function findDay(
  yearText: string,
  monthText: string | undefined,
  dayText: string,
  orders: readonly DateOrder[],
  calendar: Calendar,
): Day[] {
  const ordinal = dayText.replace(/(?:st|nd|rd|th|er|º|ª)$/i, '')
  if (!/^[0-9]{2}(?:[0-9]{2})?$/.test(yearText) || !/^[0-9]{1,2}$/.test(ordinal)) return []
  if (monthText === undefined || !/^[0-9]{1,2}$/.test(monthText)) return []
  const short = Number(yearText)
  const year = yearText.length === 4 ? short : short + (short < CENTURY_TURNS ? 2000 : 1900)
  const [month, inMonth] = [Number(monthText), Number(ordinal)]
  if (calendar === 'islamic' || calendar === 'persian') {
    const found = findForeignDay(calendar, year, month, inMonth)
    return found === null ? [] : [{ value: found, orders }]
  }
  const date = new Date(0)
  date.setUTCFullYear(calendar === 'buddhist' ? year - BUDDHIST_YEARS : year, month - 1, inMonth)
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== inMonth) return []
  return [{ value: formatDay(date), orders }]
}

const BUDDHIST_YEARS = 543

/** Calendars whose years have no simple relation to ours: the first day of the year 1, and the mean lengths in days. */
const FOREIGN = {
  islamic: { name: 'islamic-umalqura', first: Date.UTC(622, 6, 19), year: 354.367, month: 29.53 },
  persian: { name: 'persian', first: Date.UTC(622, 2, 22), year: 365.2422, month: 30.5 },
} as const
/** By how many days the means may be wrong. */
const INEXACT = 5

/** Made on first need, as the names of months are: either takes milliseconds, and few files need it. */
const formats = new Map<string, Intl.DateTimeFormat>()

function openCalendar(name: string): Intl.DateTimeFormat {
  const numeric = 'numeric'
  const options = { year: numeric, month: numeric, day: numeric, timeZone: 'UTC' } as const
  const format = formats.get(name) ?? new Intl.DateTimeFormat(`en-u-ca-${name}-nu-latn`, options)
  formats.set(name, format)
  return format
}

function findForeignDay(calendar: keyof typeof FOREIGN, year: number, month: number, inMonth: number): string | null {
  if (month < 1 || month > 12 || inMonth < 1 || inMonth > 31) return null
  const { name, first, year: yearDays, month: monthDays } = FOREIGN[calendar]
  const format = openCalendar(name)
  const mean = Math.floor((year - 1) * yearDays + (month - 1) * monthDays + inMonth - 1)
  for (let off = -INEXACT; off <= INEXACT; off += 1) {
    const date = new Date(first + (mean + off) * DAY_MS)
    const parts = format.formatToParts(date)
    const read = (type: string) => Number.parseInt(parts.find((part) => part.type === type)?.value ?? '', 10)
    if (read('year') === year && read('month') === month && read('day') === inMonth) return formatDay(date)
  }
  return null
}

/** Reads the number or the name of a month, as digits. */
function readMonth(text: string): string | undefined {
  if (/^[0-9]{1,2}$/.test(text)) return text
  months ??= listMonths()
  return months.get(simplify(text))
}

const LANGUAGES = 'en de fr es it nl pl pt ru tr cs sv da hu el he th'.split(' ')

/** The names of months, also as they follow a day, and their first three letters where these tell the month. */
let months: ReadonlyMap<string, string> | undefined

function listMonths(): Map<string, string> {
  const found = new Map<string, Set<number>>()
  const add = (name: string, month: number) => found.set(name, (found.get(name) ?? new Set()).add(month))
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
  return new Map([...found].flatMap(([name, [month, other]]) => (other === undefined ? [[name, String(month)]] : [])))
}

/** A day that has another one if its day and its month are exchanged. */
const EXCHANGEABLE = /^(\d{4})-(\d{2})-(0[1-9]|1[0-2])$/

/** Exchanges the day and the month of a date; null if that gives no other one. */
export function exchangeDay(date: string): string | null {
  const exchanged = EXCHANGEABLE.test(date) ? date.replace(EXCHANGEABLE, '$1-$3-$2') : date
  return exchanged === date ? null : exchanged
}
