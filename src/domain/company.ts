import { timingSafeEqual } from 'node:crypto'

/** What a company's user may do. Bulk User Logs and keys: admin alone. Event stream: admin and auditor. */
export type Role = 'admin' | 'auditor' | 'member'
export const ROLES: readonly Role[] = ['admin', 'auditor', 'member']
/** How a session was begun. */
export type SessionMethod = 'password' | 'passkey' | 'provider'

/** The scopes that can restrict a user's token: the audit endpoint only. */
export type TokenScope = 'audit'
export const TOKEN_SCOPES: readonly TokenScope[] = ['audit']

/** The calendar window after which a key's quota resets (UTC, weeks from Monday). */
export type RefreshPeriod = 'hourly' | 'daily' | 'weekly' | 'monthly'
export const REFRESH_PERIODS: readonly RefreshPeriod[] = ['hourly', 'daily', 'weekly', 'monthly']

/** What calls with an API key may do: read employees, or create and update them. */
export type KeyScope = 'employees:read' | 'employees:write'
export const KEY_SCOPES: readonly KeyScope[] = ['employees:read', 'employees:write']

export const DEFAULT_QUOTA_LIMIT = 10_000
export const DEFAULT_REFRESH_PERIOD: RefreshPeriod = 'monthly'

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
  quotaLimit: number
  refreshPeriod: RefreshPeriod
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

function isSameHash(stored: string, presented: string): boolean {
  return timingSafeEqual(Buffer.from(stored, 'hex'), Buffer.from(presented, 'hex'))
}

/** Returns the start of the quota window that contains a time. Milliseconds since the epoch, in and out. */
export function windowStart(period: RefreshPeriod, atMs: number): number {
  const at = new Date(atMs)
  const [year, month, day] = [at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate()]
  switch (period) {
    case 'hourly':
      return Date.UTC(year, month, day, at.getUTCHours())
    case 'daily':
      return Date.UTC(year, month, day)
    case 'weekly':
      // getUTCDay counts from Sunday; a week begins on Monday.
      return Date.UTC(year, month, day - ((at.getUTCDay() + 6) % 7))
    case 'monthly':
      return Date.UTC(year, month)
  }
}

/** Returns the end of the quota window that contains a time, which is the start of the next. */
export function windowEnd(period: RefreshPeriod, atMs: number): number {
  const start = new Date(windowStart(period, atMs))
  switch (period) {
    case 'hourly':
      return start.getTime() + HOUR_MS
    case 'daily':
      return start.getTime() + DAY_MS
    case 'weekly':
      return start.getTime() + 7 * DAY_MS
    case 'monthly':
      return Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1)
  }
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** The use of a key, in the window of its last charge. Milliseconds since the epoch. */
export interface KeyUsage {
  windowStartMs: number
  requestsMade: number
  lastUsedMs: number | null
}

/** Adds an authenticated call that costs `cost` requests. */
export function useKey(usage: KeyUsage, period: RefreshPeriod, atMs: number, cost: number): KeyUsage {
  return {
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
