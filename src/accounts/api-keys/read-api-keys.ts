import { sql, type InferResult } from 'kysely'
import { type KeyUsage, hasExpired } from '#domain/accounts/api-key'
import { NO_LIMITS } from '#domain/accounts/key-limits'
import { fromUuid, toUuid } from '#domain/ids'
import type { KeyLife } from '#domain/accounts/key-lifecycle'
import { keyUsageOf } from '#ledger/append/statements'
import type { LedgerDb } from '#ledger/tables'
import type { Queryable } from '#postgres/pool'

/** An API key as shown to administrators, without its secrets. Times are RFC 3339 UTC. */
export interface ApiKeyRecord extends KeyLife {
  createdAt: string
  /** The last four characters of the secret, and of the previous one; null if they are not stored. */
  lastFour: string | null
  previousLastFour: string | null
  rotatedAt: string | null
  /** When the previous secret expires or expired. */
  previousExpiresAt: string | null
  usage: KeyUsage
  /** Since when its calls are expected; null if they are not. */
  expectedSince: string | null
}

/** The last four characters of the secrets of a key `k`. */
export const LAST_FOUR = {
  current: sql<string | null>`k.last_four ->> encode(k.secret_hash, 'hex')`,
  previous: sql<string | null>`k.last_four ->> encode(k.previous_secret_hash, 'hex')`,
}

/** Selects keys of a company as `toSeenKey` takes them. */
export function selectApiKeys(db: LedgerDb, companyId: string) {
  return db
    .selectFrom('api_keys as k')
    .innerJoin('api_key_usage as u', (on) =>
      on.onRef('u.company_id', '=', 'k.company_id').onRef('u.api_id', '=', 'k.api_id'),
    )
    .where('k.company_id', '=', toUuid(companyId))
    .select(['k.api_id', 'k.version', 'k.name', 'k.scopes', 'k.is_enabled as isEnabled', 'k.is_revoked as isRevoked'])
    .select(['k.expires_at as expiresAt', 'k.allowed_networks as allowedNetworks', 'k.quota_limit as quotaLimit'])
    .select(['k.refresh_period as refreshPeriod', 'k.created_at as createdAt', 'k.rotated_at as rotatedAt'])
    .select(['k.writable_fields as writableFields'])
    .select(['k.expected_calls as expectedCalls', 'k.expected_since as expectedSince'])
    .select(['k.previous_expires_at as previousExpiresAt', LAST_FOUR.previous.as('previousLastFour')])
    .select([LAST_FOUR.current.as('lastFour'), sql<string>`clock_timestamp()`.as('now')])
    .select(['u.window_start', 'u.requests_made', 'u.last_used', 'u.people_use', 'k.limits', 'k.excess'])
}

type ApiKeyRow = InferResult<ReturnType<typeof selectApiKeys>>[number]

/** A key, and the database's time when it was read (RFC 3339 UTC). */
export interface SeenKey {
  key: ApiKeyRecord
  now: string
}

export const KEY_STATUSES = ['active', 'disabled', 'expired', 'revoked'] as const
export type KeyStatus = (typeof KEY_STATUSES)[number]

/** Finds the status of a key. */
export function findKeyStatus({ key, now }: SeenKey): KeyStatus {
  if (key.isRevoked) return 'revoked'
  if (key.expiresAt !== null && hasExpired(Date.parse(key.expiresAt), Date.parse(now))) return 'expired'
  return key.isEnabled ? 'active' : 'disabled'
}

/** Whether the secret before the last rotation still works. */
export function hasPreviousSecret({ key, now }: SeenKey): boolean {
  return key.previousExpiresAt !== null && key.previousExpiresAt > now
}

/** The status of a key, as `findKeyStatus` finds it. */
const STATUS = sql<KeyStatus>`case when k.is_revoked then 'revoked' when k.expires_at <= clock_timestamp() then 'expired'
  when k.is_enabled then 'active' else 'disabled' end`

/** Lists a company's keys before an id, newest first. */
export async function listApiKeys(
  db: LedgerDb,
  companyId: string,
  page: { status?: KeyStatus; before?: string; limit: number },
): Promise<SeenKey[]> {
  const { status, before, limit } = page
  let query = selectApiKeys(db, companyId)
  if (before !== undefined) query = query.where('k.api_id', '<', toUuid(before))
  if (status !== undefined) query = query.where(STATUS, '=', status)
  return (await query.orderBy('k.api_id', 'desc').limit(limit).execute()).map(toSeenKey)
}

/** Finds a key of a company; null if it does not exist. */
export async function findApiKey(db: LedgerDb, companyId: string, apiId: string): Promise<SeenKey | null> {
  const row = await selectApiKeys(db, companyId).where('k.api_id', '=', toUuid(apiId)).executeTakeFirst()
  return row ? toSeenKey(row) : null
}

/** Finds when the newest key of a company was issued, in milliseconds since the epoch; 0 if there is none. */
export async function findNewestKey(client: Queryable, companyId: string): Promise<number> {
  const text = `select coalesce(extract(epoch from max(created_at)) * 1000, 0)::float8 as ms
    from api_keys where company_id = $1`
  const { rows } = await client.query<{ ms: number }>(text, [toUuid(companyId)])
  return rows[0]!.ms
}

/** Converts such a row. */
export function toSeenKey({ api_id: uuid, now, limits, ...row }: ApiKeyRow): SeenKey {
  const { window_start, requests_made, last_used, people_use, ...key } = row
  const usage = keyUsageOf({ window_start, requests_made, last_used, people_use })
  return { key: { ...key, id: fromUuid('key', uuid), limits: limits ?? NO_LIMITS, usage }, now }
}
