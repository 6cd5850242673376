import { timingSafeEqual } from 'node:crypto'
import type { AttributeName } from '#domain/attributes'
import { findStartOf, formatLocal, formatLocalDay, HOUR_MS, shiftDay } from '#domain/local-times'

/* What keys may do to people, and what they did. Times are RFC 3339 UTC. */

/** A number of people, or a share of the active ones, in percent. */
export type PeopleLimit = number | `${number}%`

/** How many people a key may deactivate and change in a UTC day; null for any number. */
export interface KeyLimits {
  max_deactivations: PeopleLimit | null
  max_changes: PeopleLimit | null
}

export type Limited = keyof KeyLimits

/** How many more people a key may deactivate and change until a time, whatever its limits; null for none. */
export interface KeyExcess extends Record<Limited, number | null> {
  until: string
}

/** Numbers of people, as the log counts them. */
export type PeopleNumbers = Readonly<Record<Limited, number>>

/** What a key did to people. */
export interface PeopleUse {
  /** The day of the numbers, YYYY-MM-DD. */
  day: string
  done: PeopleNumbers
  /** How many people were active when they were last counted in this day; null if they were not. */
  active: { count: number; at: string } | null
  /** What it did since an administrator allowed more; `until` tells which time that was. */
  excess: { until: string; done: PeopleNumbers } | null
  /** The last call that was refused for a limit, until an administrator allows it. */
  refused: RefusedExcess | null
  /** The last day on which it deactivated more people than usual, and since when. */
  unusual: { at: string; deactivations: number; active: number } | null
}

/** A call that would have done `wanted` beyond what the key had `done` in this day. */
export interface RefusedExcess {
  at: string
  log_id: string
  limited: Limited
  wanted: number
  /** All that the call would have done. */
  call: PeopleNumbers
  done: number
  limit: number
  active: number
}

/** The calendar window after which a key's quota resets (UTC, weeks from Monday). */
export const REFRESH_PERIODS = ['hourly', 'daily', 'weekly', 'monthly'] as const
export type RefreshPeriod = (typeof REFRESH_PERIODS)[number]

export const DEFAULT_QUOTA_LIMIT = 10_000

export const DEFAULT_REFRESH_PERIOD: RefreshPeriod = 'monthly'

/** A quota window, in milliseconds since the epoch. The next one starts at its end. */
interface Window {
  startMs: number
  endMs: number
}

/** The last window of each period. A call asks for its own several times, and the next call for the same one. */
const lastWindows = new Map<RefreshPeriod, Window>()

function windowOf(period: RefreshPeriod, atMs: number) {
  const last = lastWindows.get(period)
  if (last && last.startMs <= atMs && atMs < last.endMs) return last
  const window = { startMs: startOfWindow(period, atMs, 0), endMs: startOfWindow(period, atMs, 1) }
  lastWindows.set(period, window)
  return window
}

/** Returns the start of the quota window that contains a time. Milliseconds since the epoch, in and out. */
export function windowStart(period: RefreshPeriod, atMs: number): number {
  return windowOf(period, atMs).startMs
}

/** Returns the end of the quota window that contains a time, which is the start of the next. */
export function windowEnd(period: RefreshPeriod, atMs: number): number {
  return windowOf(period, atMs).endMs
}

/** The start of the window so many windows after the one that contains a time. */
function startOfWindow(period: RefreshPeriod, atMs: number, later: number) {
  const at = new Date(atMs)
  const [year, month, day] = [at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate()]
  switch (period) {
    case 'hourly':
      return Date.UTC(year, month, day, at.getUTCHours() + later)
    case 'daily':
      return Date.UTC(year, month, day + later)
    case 'weekly':
      // getUTCDay counts from Sunday; a week begins on Monday.
      return Date.UTC(year, month, day - ((at.getUTCDay() + 6) % 7) + 7 * later)
    case 'monthly':
      return Date.UTC(year, month + later)
  }
}

/** The use of a key, in the window of its last charge. Milliseconds since the epoch. */
export interface KeyUsage {
  windowStartMs: number
  requestsMade: number
  lastUsedMs: number | null
  /** What it did to people; null if nothing yet. */
  people: PeopleUse | null
}

/** Adds an authenticated call that costs `cost` requests. */
export function useKey(usage: KeyUsage, period: RefreshPeriod, atMs: number, cost: number): KeyUsage {
  return {
    ...usage,
    windowStartMs: Math.max(usage.windowStartMs, windowStart(period, atMs)),
    requestsMade: requestsInWindow(usage, period, atMs) + cost,
    lastUsedMs: Math.max(usage.lastUsedMs ?? atMs, atMs),
  }
}

/** Returns one request to the window in which it was charged, if that window is still current. */
export function giveBack(usage: KeyUsage, windowStartMs: number): KeyUsage {
  return usage.windowStartMs === windowStartMs ? { ...usage, requestsMade: Math.max(0, usage.requestsMade - 1) } : usage
}

/**
 * Returns the requests made in the window of a time: 0 if the last charge was in an earlier window. A charge in a later
 * window counts, so that a clock that goes back does not reset the quota.
 */
export function requestsInWindow(usage: KeyUsage, period: RefreshPeriod, atMs: number): number {
  return usage.windowStartMs >= windowStart(period, atMs) ? usage.requestsMade : 0
}

/** How many requests a key may make, and how often. */
interface Quota {
  quotaLimit: number
  refreshPeriod: RefreshPeriod
}

/** The headers that tell how much of a key's quota remains. */
export const RATE_LIMIT_HEADERS = ['ratelimit-policy', 'ratelimit'] as const

/**
 * The remaining quota of a key, as header fields (draft-ietf-httpapi-ratelimit-headers-10, sections 3 and 4).
 * `nowMs` is the database's time, milliseconds since the epoch.
 */
export function rateLimitHeaders(
  quota: Quota,
  usage: KeyUsage,
  nowMs: number,
): Record<(typeof RATE_LIMIT_HEADERS)[number], string> {
  const { quotaLimit, refreshPeriod: period } = quota
  const windowSeconds = (windowEnd(period, nowMs) - windowStart(period, nowMs)) / 1000
  const remaining = Math.max(0, quotaLimit - requestsInWindow(usage, period, nowMs))
  return {
    'ratelimit-policy': `"quota";q=${quotaLimit};w=${windowSeconds}`,
    ratelimit: `"quota";r=${remaining};t=${secondsToReset(quota, nowMs)}`,
  }
}

/** Seconds until the quota resets, rounded up. */
export function secondsToReset({ refreshPeriod }: Pick<Quota, 'refreshPeriod'>, nowMs: number): number {
  return Math.ceil((windowEnd(refreshPeriod, nowMs) - nowMs) / 1000)
}

/** What calls with an API key may do: read employees, create and update them, or both as an identity provider. */
export const KEY_SCOPES = ['employees:read', 'employees:write', 'scim'] as const
export type KeyScope = (typeof KEY_SCOPES)[number]

/** A first sync of 20,000 people takes 60,000 calls, and a provider whose calls are refused gives up. */
export const PROVIDER_QUOTA_LIMIT = 1_000_000

/** The quota of a new key, unless somebody chooses another one. */
export function usualQuota(scopes: readonly KeyScope[] | undefined): number {
  return scopes?.includes('scim') === true ? PROVIDER_QUOTA_LIMIT : DEFAULT_QUOTA_LIMIT
}

/** An API key as stored beside the ledger. Hashes are SHA-256 of a secret, in hexadecimal. */
export interface ApiKey {
  id: string
  name: string
  secretHash: string
  /** The secret before the last rotation, and when it ends, milliseconds since the epoch. */
  previous: { secretHash: string; expiresAtMs: number } | null
  isEnabled: boolean
  isRevoked: boolean
  /** When the key ends, milliseconds since the epoch; null if it does not. */
  expiresAtMs: number | null
  scopes: readonly KeyScope[]
  /** The networks from which the key may be used, as `readNetwork` returns them; null for any address. */
  allowedNetworks: readonly string[] | null
  /** The fields that the key may write; null for all. */
  writableFields: readonly AttributeName[] | null
  quotaLimit: number
  refreshPeriod: RefreshPeriod
  /** How many people it may deactivate and change in a day, and what it may do beyond that; null for nothing more. */
  limits: KeyLimits
  excess: KeyExcess | null
}

/** No known secret has an all-zero SHA-256. */
const NO_HASH = '0'.repeat(64)

/**
 * Decides whether a caller's secret is one of a key that is neither revoked nor expired; the key may be disabled.
 * `presentedHash` is the SHA-256 of the secret in hexadecimal; `nowMs` is the database's time. Always compares two
 * hashes in constant time, even if the key or a secret does not exist, so that timing reveals nothing.
 */
export function isSecretValid(key: ApiKey | undefined, presentedHash: string, nowMs: number): key is ApiKey {
  const isCurrent = isSameHash(key?.secretHash ?? NO_HASH, presentedHash)
  const isPrevious = isSameHash(key?.previous?.secretHash ?? NO_HASH, presentedHash)
  const isKnown = isCurrent || (isPrevious && nowMs < (key?.previous?.expiresAtMs ?? 0))
  return key !== undefined && isKnown && !key.isRevoked && !hasExpired(key.expiresAtMs, nowMs)
}

/** Whether a key has expired. Milliseconds since the epoch; null is never. */
export function hasExpired(expiresAtMs: number | null, nowMs: number): boolean {
  return expiresAtMs !== null && nowMs >= expiresAtMs
}

export function isSameHash(stored: string, presented: string) {
  return timingSafeEqual(Buffer.from(stored, 'hex'), Buffer.from(presented, 'hex'))
}

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

function weekdayOf(day: string) {
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
