import type { RawBuilder } from 'kysely'
import { sql } from 'kysely'
import {
  findLastCall,
  findLastCallsOf,
  readFailedCalls,
} from '../../../projections/bulk-user-logs/attention-queries.ts'
import { readPartialCalls } from '../../../projections/bulk-user-logs/partial-calls.ts'
import { BULK_USER_LOGS } from '../../../projections/bulk-user-logs/queries.ts'
import { EMPLOYEES } from '../../../projections/employees/queries.ts'
import type { AttentionFacts, AttentionItem, KeyFacts } from '../../domain/attention.ts'
import {
  EXPIRED_LONG_AGO_MS,
  EXPIRES_SOON_MS,
  UNUSED_MS,
  findAttention,
  NEARLY_USED,
  startOfYesterday,
} from '../../domain/attention.ts'
import type { AttentionKind } from '../../domain/attention-kinds.ts'
import { REFRESH_PERIODS, windowStart } from '../../domain/accounts/quota.ts'
import { fromUuid, isId, toUuid } from '../../domain/ids.ts'
import type { ApiKeyRow } from '../api-keys/read-api-keys.ts'
import { SELECT_API_KEYS, toApiKeyRecord } from '../api-keys/read-api-keys.ts'
import { readFailingWork } from '../../ledger/background/failing-work.ts'
import { findUnfoldedCallsOf } from '../../ledger/calls/find-unfolded-calls.ts'
import type { LedgerDb, Row } from '../../ledger/tables.ts'
import { readDisputes } from './read-disputes.ts'

type Condition = RawBuilder<unknown>

/** What needs attention, and the company's last call. */
export interface Attention {
  /** The time of what was read, RFC 3339 UTC. */
  now: string
  items: AttentionItem[]
  /** The kinds of which there may be more than `items` has. */
  uncounted: AttentionKind[]
  /** Null if the company has made no call. */
  lastCall: { logId: string; requestedAt: string; records: number; status: 'Completed' | 'Failed' } | null
}

/** The keys that are read of each need, and those that expect calls. */
const MAX_KEYS = 200
const MAX_EXPECTING = 1_000

/**
 * Reads what needs the attention of a company's administrators now, by the database's clock. The keys of the items in
 * `raised` are read however many others there are, to tell whether they still need attention.
 */
export async function readAttention(
  db: LedgerDb,
  companyId: string,
  raised: readonly AttentionItem[] = [],
): Promise<Attention> {
  const { now, timeZone } = await readClockOf(db, companyId)
  const since = new Date(startOfYesterday(Date.parse(now), timeZone)).toISOString()
  // One after the other, on one connection: every page of an administrator reads this.
  const { failedCalls, isCut } = await readFailedCalls(db, companyId, since)
  const { partialCalls, isCut: arePartialCut } = await readPartialCalls(db, companyId, since)
  const items = findAttention({
    now,
    timeZone,
    keys: await readKeys(db, companyId, now, raised),
    failedCalls,
    partialCalls,
    webhooks: await readWebhooks(db, companyId),
    provider: await readProvider(db, companyId),
    parkedProjections: await readParkedProjections(db, companyId),
    disputes: await readDisputes(db, companyId),
    failingWork: await readFailingWork(db, companyId),
  })
  const uncounted: AttentionKind[] = [
    ...(isCut ? (['calls_failed'] as const) : []),
    ...(arePartialCut ? (['records_refused'] as const) : []),
  ]
  return { now, items, uncounted, lastCall: await findLastCall(db, companyId) }
}

async function readClockOf(db: LedgerDb, companyId: string): Promise<{ now: string; timeZone: string }> {
  const { rows } = await sql<Row<'companies', 'time_zone'> & { now: string }>`
    select clock_timestamp() as now, time_zone from companies where company_id = ${toUuid(companyId)}`.execute(db)
  return { now: rows[0]!.now, timeZone: rows[0]!.time_zone }
}

/**
 * When a key `k` with its usage `u` has each need that its own row tells, by a time (RFC 3339). The domain decides; these
 * conditions only choose the keys that are read.
 */
function buildNeeds(now: string): Record<Extract<AttentionKind, `quota_${string}` | `key_${string}`>, Condition> {
  const nowMs = Date.parse(now)
  const at = (ms: number) => sql`${new Date(ms).toISOString()}::timestamptz`
  const windows = REFRESH_PERIODS.map((period) => sql`when ${period} then ${at(windowStart(period, nowMs))}`)
  const isLive = sql`k.is_enabled and (k.expires_at is null or k.expires_at > ${at(nowMs)})`
  const uses = (
    share: number,
  ) => sql`${isLive} and k.quota_limit > 0 and u.requests_made >= ${share}::float * k.quota_limit
    and u.window_start >= case k.refresh_period ${sql.join(windows, sql` `)} end`
  return {
    quota_used: uses(1),
    key_expired: sql`k.expires_at between ${at(nowMs - EXPIRED_LONG_AGO_MS)} and ${at(nowMs)}`,
    quota_nearly_used: uses(NEARLY_USED),
    key_expiring: sql`${isLive} and k.expires_at <= ${at(nowMs + EXPIRES_SOON_MS)}`,
    key_unused: sql`${isLive} and u.last_used is null and k.created_at <= ${at(nowMs - UNUSED_MS)}`,
  }
}

/** Reads the keys that need most, those that expect calls, and those that were raised. */
async function readKeys(
  db: LedgerDb,
  companyId: string,
  now: string,
  raised: readonly AttentionItem[],
): Promise<KeyFacts[]> {
  const company = toUuid(companyId)
  const raisedIds = [...new Set(raised.map(({ subject }) => subject.id))].filter((id) => isId('key', id)).map(toUuid)
  const needs = Object.values(buildNeeds(now)).map((isNeeded, at) => sql`when ${isNeeded} then ${at}::integer`)
  // Keys with the same need are in an order that another key doesn't change.
  const { rows } = await sql<ApiKeyRow>`${sql.raw(SELECT_API_KEYS)}
    where k.company_id = ${company} and k.api_id in (
      select api_id from (
        select k.api_id, need, k.expected_calls is not null as expects,
          row_number() over (partition by need order by k.expires_at, k.api_id) as nth,
          row_number() over (partition by k.expected_calls is null order by u.last_used nulls first, k.api_id) as nth_expecting
        from api_keys k join api_key_usage u on u.company_id = k.company_id and u.api_id = k.api_id
          cross join lateral (select case ${sql.join(needs, sql` `)} end as need) needs
        where k.company_id = ${company} and not k.is_revoked
      ) ranked
      where need is not null and nth <= ${MAX_KEYS} or expects and nth_expecting <= ${MAX_EXPECTING}
        or api_id = any(${raisedIds}::uuid[]))
    order by k.api_id desc`.execute(db)
  const keys = rows.map(toApiKeyRecord)
  const waiting = keys.filter(({ expectedCalls }) => expectedCalls !== null).map(({ id }) => id)
  // The log last: what it doesn't have yet, the ledger was asked for before.
  const unfolded = await findUnfoldedCallsOf(db, companyId, BULK_USER_LOGS, waiting)
  const calls = await findLastCallsOf(db, companyId, waiting)
  const lastCallOf = new Map(calls.map(({ keyId, requestedAt }) => [keyId, requestedAt]))
  return keys.map((key) => ({
    id: key.id,
    name: key.name,
    isEnabled: key.isEnabled,
    createdAt: key.createdAt,
    expiresAt: key.expiresAt,
    quotaLimit: key.quotaLimit,
    refreshPeriod: key.refreshPeriod,
    usage: key.usage,
    expectation: key.expectedCalls && key.expectedSince ? { calls: key.expectedCalls, since: key.expectedSince } : null,
    lastCallAt: unfolded.get(key.id) ?? lastCallOf.get(key.id) ?? null,
  }))
}

async function readWebhooks(db: LedgerDb, companyId: string): Promise<AttentionFacts['webhooks']> {
  const rows = await db
    .selectFrom('webhooks as w')
    .innerJoin('webhook_progress as p', (join) =>
      join.onRef('p.company_id', '=', 'w.company_id').onRef('p.webhook_id', '=', 'w.webhook_id'),
    )
    .select(['w.webhook_id', 'w.url', 'w.description', 'w.status', 'w.disabled_reason', 'w.disabled_at'])
    .select(['p.failing_since', 'p.error'])
    .where('w.company_id', '=', toUuid(companyId))
    .where('w.status', '<>', 'paused')
    .where((is) => is.or([is('w.disabled_reason', 'is not', null), is('p.failing_since', 'is not', null)]))
    .orderBy('w.webhook_id')
    .execute()
  return rows.map((row) => ({
    id: fromUuid('whk', row.webhook_id),
    name: row.description || row.url,
    disabledReason: row.disabled_reason,
    disabledAt: row.disabled_at,
    failingSince: row.failing_since,
    error: row.error,
  }))
}

async function readProvider(db: LedgerDb, companyId: string): Promise<AttentionFacts['provider']> {
  const row = await db
    .selectFrom('identity_providers')
    .select(['provider_id', 'name', 'failing_since', 'fault'])
    .where('company_id', '=', toUuid(companyId))
    .where('use', '<>', 'off')
    .executeTakeFirst()
  if (!row) return null
  return { id: fromUuid('idp', row.provider_id), name: row.name, failingSince: row.failing_since, fault: row.fault }
}

async function readParkedProjections(db: LedgerDb, companyId: string): Promise<AttentionFacts['parkedProjections']> {
  const rows = await db
    .selectFrom('checkpoints')
    .select(['projection', 'version', 'position', 'parked_at'])
    .where('company_id', '=', toUuid(companyId))
    .where('parked_at', 'is not', null)
    .execute()
  const current = new Map([EMPLOYEES, BULK_USER_LOGS].map(({ name, version }) => [name, version]))
  return rows
    .filter(({ projection, version }) => current.get(projection) === version)
    .map(({ projection, parked_at: parkedAt, position }) => ({ name: projection, parkedAt: parkedAt!, position }))
}
