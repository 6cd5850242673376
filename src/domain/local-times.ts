/*
 * Days and local times of a time zone as instants. Instants are milliseconds since the epoch; a local time is written
 * `YYYY-MM-DDThh:mm`, without an offset.
 */

export const HOUR_MS = 3_600_000
export const DAY_MS = 24 * HOUR_MS
const DAY_CHARACTERS = 'YYYY-MM-DD'.length
const HOURS_OF_DAY = '00:00'
const DAY = /^\d{4}-\d{2}-\d{2}$/
const LOCAL = /^((?:19|2\d)\d{2}-\d{2}-\d{2})(?:T((?:[01]\d|2[0-3]):[0-5]\d))?$/

/** The start of the hour of an instant; both are RFC 3339 in UTC. */
export function startOfHour(instant: string): string {
  return `${instant.slice(0, 'yyyy-mm-ddThh'.length)}:00:00.000Z`
}

/** Whether a text is a day (YYYY-MM-DD) of the calendar, from year 1 on. */
export function isCalendarDate(text: string): boolean {
  if (!DAY.test(text) || text.startsWith('0000')) return false
  const [month, day] = [Number(text.slice(5, 7)), Number(text.slice(8))]
  return day >= 1 && day <= daysOf(Number(text.slice(0, 4)), month)
}

/** How many days each month has, in a leap year. */
const DAYS_OF_MONTHS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

/** How many days a month from 1 has; none, if there is no such month. */
function daysOf(year: number, month: number) {
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  return month === 2 && !isLeap ? 28 : (DAYS_OF_MONTHS[month - 1] ?? 0)
}

/** Reads a day or local time as a form sends it; null for any other text. */
export function readLocal(text: string): { day: string; time: string | undefined } | null {
  const [, day, time] = LOCAL.exec(text) ?? []
  return day !== undefined && isCalendarDate(day) ? { day, time } : null
}

/** Returns the first instant of a day or local time. Throws on a text that `readLocal` does not accept. */
export function findStartOf(text: string, timeZone: string): number {
  return findInstants(readWallClock(text), timeZone)[0]
}

/** Returns the end of a day, or the last instant of a local time (clocks may show it twice). Throws as above. */
export function findEndOf(text: string, timeZone: string): number {
  const clock = readWallClock(text)
  return readLocal(text)!.time === undefined
    ? findInstants(clock + DAY_MS, timeZone)[0]
    : findInstants(clock, timeZone)[1]
}

/** A day (YYYY-MM-DD) of a time zone, and the instants at which it begins and at which the next one does. */
export interface LocalDay {
  day: string
  from: number
  to: number
}

/** Lists a number of days of a time zone in order, up to the day `last` (YYYY-MM-DD). */
export function listDaysUpTo(last: string, count: number, timeZone: string): LocalDay[] {
  const midnights = Array.from({ length: count + 1 }, (_, at) => Date.parse(last) + (at + 1 - count) * DAY_MS)
  const starts = midnights.map((clock) => findInstants(clock, timeZone)[0])
  return midnights.slice(0, count).map((clock, at) => {
    return { day: formatDay(clock), from: starts[at]!, to: starts[at + 1]! }
  })
}

/** Returns the day (YYYY-MM-DD) that is some days later. */
export function shiftDay(day: string, days: number): string {
  return formatDay(Date.parse(day) + days * DAY_MS)
}

function formatDay(midnight: number) {
  return new Date(midnight).toISOString().slice(0, DAY_CHARACTERS)
}

/** The last local time that a form can send. */
const LAST_LOCAL = Date.parse('9999-12-31T23:59Z')

/** Formats an instant as a form sends it: the local time of a time zone, to the minute. */
export function formatLocal(instant: number, timeZone: string): string {
  const clock = Math.min(instant + findOffset(instant, timeZone), LAST_LOCAL)
  return new Date(clock).toISOString().slice(0, 'YYYY-MM-DDThh:mm'.length)
}

/** Formats the day (YYYY-MM-DD) of a time zone that an instant is in. */
export function formatLocalDay(instant: number, timeZone: string): string {
  return formatLocal(instant, timeZone).slice(0, DAY_CHARACTERS)
}

function readWallClock(text: string) {
  const local = readLocal(text)
  if (!local) throw new Error('this is neither a day nor a local time')
  return Date.parse(`${local.day}T${local.time ?? HOURS_OF_DAY}Z`)
}

/**
 * Finds the first and the last instant at which the clocks of a time zone show a time: they differ when clocks go back.
 * A time that the clocks skip is read with the offset before the gap (RFC 5545, section 3.3.5).
 */
function findInstants(clock: number, timeZone: string): [first: number, last: number] {
  const [before, after] = [clock - findOffset(clock - DAY_MS, timeZone), clock - findOffset(clock + DAY_MS, timeZone)]
  const instants = [before, after]
    .toSorted((a, b) => a - b)
    .filter((instant) => instant + findOffset(instant, timeZone) === clock)
  return instants.length === 0 ? [before, before] : [instants[0]!, instants.at(-1)!]
}

/** Returns the offset of a time zone from UTC at an instant, in milliseconds. */
function findOffset(instant: number, timeZone: string) {
  const parts = getClock(timeZone).formatToParts(instant)
  const part = (type: Intl.DateTimeFormatPartTypes) => Number(parts.find((candidate) => candidate.type === type)!.value)
  const shown = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'))
  return shown - Math.floor(instant / 1000) * 1000
}

/** Formats an instant in a time zone, such as `20 Nov 2026, 14:05:09 CET`. */
export function formatTime(instant: string, timeZone: string): string {
  return getFormatter(timeZone).format(new Date(instant))
}

/** Makes the formatter of each time zone once. There are some 600, and a company's is one of them. */
function keepByTimeZone(make: (timeZone: string) => Intl.DateTimeFormat): (timeZone: string) => Intl.DateTimeFormat {
  const made = new Map<string, Intl.DateTimeFormat>()
  return (timeZone) => {
    const formatter = made.get(timeZone) ?? make(timeZone)
    made.set(timeZone, formatter)
    return formatter
  }
}

const getFormatter = keepByTimeZone((timeZone) => {
  const date = { year: 'numeric', month: 'short', day: 'numeric' } as const
  const time = { hour: '2-digit', minute: '2-digit', second: '2-digit' } as const
  return new Intl.DateTimeFormat('en-GB', { timeZone, timeZoneName: 'short', ...date, ...time })
})

const getClock = keepByTimeZone((timeZone) => {
  const date = { year: 'numeric', month: 'numeric', day: 'numeric' } as const
  const time = { hour: 'numeric', minute: 'numeric', second: 'numeric' } as const
  return new Intl.DateTimeFormat('en-US', { timeZone, hourCycle: 'h23', ...date, ...time })
})
