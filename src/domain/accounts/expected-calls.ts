import { findStartOf, formatLocal, formatLocalDay, HOUR_MS, shiftDay } from '../local-times.ts'

/** When calls of a key are expected: at least every so many hours, or by a time of day on some weekdays. */
export type ExpectedCalls = { every_hours: number } | { by_time: string; weekdays: readonly Weekday[] }

/** 1 is Monday, 7 is Sunday (ISO 8601). */
export type Weekday = 1 | 2 | 3 | 4 | 5 | 6 | 7
export const WEEKDAYS = [1, 2, 3, 4, 5, 6, 7] as const

/** The longest time between two expected calls, in hours: 31 days. */
export const MAX_EVERY_HOURS = 744

/** What a key expects, and since when, RFC 3339 UTC: a call that was due before counts for nothing. */
export interface Expectation {
  calls: ExpectedCalls
  since: string
}

/** Reads what a key expects, with its weekdays once each and in order. */
export function normalizeExpectedCalls(calls: ExpectedCalls): ExpectedCalls {
  if ('every_hours' in calls) return { every_hours: calls.every_hours }
  return { by_time: calls.by_time, weekdays: WEEKDAYS.filter((weekday) => calls.weekdays.includes(weekday)) }
}

/** Whether two keys expect the same. */
export function isSameExpectation(one: ExpectedCalls | null, other: ExpectedCalls | null): boolean {
  return JSON.stringify(one && normalizeExpectedCalls(one)) === JSON.stringify(other && normalizeExpectedCalls(other))
}

/** The local time of a day, hours and minutes. */
export const TIME_OF_DAY = '^([01][0-9]|2[0-3]):[0-5][0-9]$'

/**
 * The time by which a call should have come and did not; null if all is well. A call by a time of day may come
 * after that time of the day before; one that comes later ends the wait. Times of day are in the company's time zone: one
 * that the clocks skip is an hour later, and one that they show twice is the first. Milliseconds since the epoch.
 */
export function findMissedDeadline(
  { calls, since }: Expectation,
  { nowMs, timeZone, lastCallMs }: { nowMs: number; timeZone: string; lastCallMs: number | null },
): number | null {
  const sinceMs = Date.parse(since)
  if ('every_hours' in calls) {
    const dueMs = Math.max(lastCallMs ?? 0, sinceMs) + calls.every_hours * HOUR_MS
    return dueMs <= nowMs ? dueMs : null
  }
  const deadline = findLastDeadline(calls, nowMs, timeZone)
  if (deadline === null || deadline.atMs <= sinceMs) return null
  return lastCallMs !== null && lastCallMs > deadline.afterMs ? null : deadline.atMs
}

/** The latest deadline that has passed, and after when a call was for it: the days on which clocks change differ. */
function findLastDeadline(
  { by_time: time, weekdays }: Extract<ExpectedCalls, { by_time: string }>,
  nowMs: number,
  timeZone: string,
): { atMs: number; afterMs: number } | null {
  const today = formatLocalDay(nowMs, timeZone)
  const startOn = (day: string) => findStartOf(`${day}T${time}`, timeZone)
  // Of eight days, one is a chosen weekday whose time has passed.
  for (let back = 0; back <= 7; back += 1) {
    const day = shiftDay(today, -back)
    if (!weekdays.includes(weekdayOf(day))) continue
    const atMs = startOn(day)
    if (atMs <= nowMs) return { atMs, afterMs: startOn(shiftDay(day, -1)) }
  }
  return null
}

function weekdayOf(day: string): Weekday {
  return (((new Date(day).getUTCDay() + 6) % 7) + 1) as Weekday
}

/** How many days of calls a proposal needs, and how many it looks at. */
const MIN_DAYS = 5
export const PROPOSAL_DAYS = 28
/** How much later than usual a call may come. */
const GRACE_HOURS = 2
const LAST_HOUR = 23

/**
 * Proposes what to expect, from the hours of the last `PROPOSAL_DAYS` days in which a key made calls, by their starts;
 * null if they show no habit. Calls are proposed for the weekdays on which the key called in every week since it began,
 * by two hours after the latest of each day's first calls. Milliseconds since the epoch.
 */
export function proposeExpectedCalls(
  hoursMs: readonly number[],
  nowMs: number,
  timeZone: string,
): ExpectedCalls | null {
  const firstHourOf = new Map<string, number>()
  for (const startMs of hoursMs.toSorted((one, other) => one - other)) {
    const [day, time] = formatLocal(startMs, timeZone).split('T') as [string, string]
    if (!firstHourOf.has(day)) firstHourOf.set(day, Number(time.slice(0, 2)))
  }
  if (firstHourOf.size < MIN_DAYS) return null
  const today = formatLocalDay(nowMs, timeZone)
  // In order, because the hours were.
  const [firstDay = today] = firstHourOf.keys()
  const weekdays = WEEKDAYS.filter((weekday) => {
    const days: string[] = []
    for (let day = firstDay; day < today; day = shiftDay(day, 1)) if (weekdayOf(day) === weekday) days.push(day)
    return days.length > 0 && days.every((day) => firstHourOf.has(day))
  })
  if (weekdays.length === 0) return null
  let latest = 0
  for (const [day, first] of firstHourOf) if (weekdays.includes(weekdayOf(day))) latest = Math.max(latest, first)
  const hour = Math.min(latest + 1 + GRACE_HOURS, LAST_HOUR)
  return { by_time: `${String(hour).padStart(2, '0')}:00`, weekdays }
}
