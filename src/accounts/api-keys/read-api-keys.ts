import { sql } from 'kysely'
import type { KeyUsage } from '../../domain/accounts/quota.ts'
import { hasExpired } from '../../domain/accounts/api-key.ts'
import { fromUuid, toUuid } from '../../domain/ids.ts'
import type { KeyLife } from '../../domain/accounts/key-lifecycle.ts'
import { keyUsageOf, type UsageRow } from '../../ledger/append/statements.ts'
import type { LedgerDb, LedgerTables } from '../../ledger/tables.ts'
import type { Queryable } from '../../postgres/query-client.ts'

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

export type ApiKeyRow = UsageRow &
  Omit<LedgerTables['api_keys'], 'company_id' | 'secret_hash' | 'previous_secret_hash' | 'last_four'> & {
    last_four: string | null
    previous_last_four: string | null
    now: string
  }

/** The last four characters of a key's secrets, as SQL. */
export const LAST_FOUR = {
  current: `k.last_four ->> encode(k.secret_hash, 'hex')`,
  previous: `k.last_four ->> encode(k.previous_secret_hash, 'hex')`,
}

export const SELECT_API_KEYS = `select k.api_id, k.version, k.name, k.is_enabled, k.is_revoked, k.scopes,
    k.expires_at, k.allowed_networks, k.quota_limit, k.refresh_period, k.created_at, k.rotated_at, k.previous_expires_at,
    k.expected_calls, k.expected_since, ${LAST_FOUR.current} as last_four, ${LAST_FOUR.previous} as previous_last_four,
    u.window_start, u.requests_made, u.last_used, clock_timestamp() as now
  from api_keys k join api_key_usage u on u.company_id = k.company_id and u.api_id = k.api_id`

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

/** The condition for each status, as `findKeyStatus` finds it. */
const HAS_STATUS: Record<KeyStatus, string> = {
  revoked: 'k.is_revoked',
  expired: 'not k.is_revoked and k.expires_at <= clock_timestamp()',
  active: 'not k.is_revoked and (k.expires_at <= clock_timestamp()) is not true and k.is_enabled',
  disabled: 'not k.is_revoked and (k.expires_at <= clock_timestamp()) is not true and not k.is_enabled',
}

/** Lists a company's keys before an id, newest first. */
export async function listApiKeys(
  db: LedgerDb,
  companyId: string,
  page: { status?: KeyStatus; before?: string; limit: number },
): Promise<SeenKey[]> {
  const { status, before, limit } = page
  const { rows } = await sql<ApiKeyRow>`${sql.raw(SELECT_API_KEYS)}
    where k.company_id = ${toUuid(companyId)}
      ${before === undefined ? sql`` : sql`and k.api_id < ${toUuid(before)}`}
      ${status === undefined ? sql`` : sql`and ${sql.raw(HAS_STATUS[status])}`}
    order by k.api_id desc limit ${limit}`.execute(db)
  return rows.map((row) => ({ key: toApiKeyRecord(row), now: row.now }))
}

/** Finds a key of a company; null if it does not exist. */
export async function findApiKey(db: LedgerDb, companyId: string, apiId: string): Promise<SeenKey | null> {
  const { rows } = await sql<ApiKeyRow>`${sql.raw(SELECT_API_KEYS)}
    where k.company_id = ${toUuid(companyId)} and k.api_id = ${toUuid(apiId)}`.execute(db)
  return rows[0] ? { key: toApiKeyRecord(rows[0]), now: rows[0].now } : null
}

/** Counts the keys of a company, including revoked ones: keys are never deleted. */
export async function countApiKeys(client: Queryable, companyId: string): Promise<number> {
  const text = 'select count(*)::integer as count from api_keys where company_id = $1'
  const { rows } = await client.query<{ count: number }>(text, [toUuid(companyId)])
  return rows[0]!.count
}

/** Converts a row of `api_keys`. */
export function toApiKeyRecord(row: ApiKeyRow): ApiKeyRecord {
  return {
    id: fromUuid('key', row.api_id),
    version: row.version,
    name: row.name,
    quotaLimit: row.quota_limit,
    refreshPeriod: row.refresh_period,
    isEnabled: row.is_enabled,
    isRevoked: row.is_revoked,
    scopes: row.scopes,
    expiresAt: row.expires_at,
    allowedNetworks: row.allowed_networks,
    createdAt: row.created_at,
    lastFour: row.last_four,
    previousLastFour: row.previous_last_four,
    rotatedAt: row.rotated_at,
    previousExpiresAt: row.previous_expires_at,
    expectedCalls: row.expected_calls,
    expectedSince: row.expected_since,
    usage: keyUsageOf(row),
  }
}
