import { sql } from 'kysely'
import {
  findLastCall,
  findLastCallsOf,
  readFailedCalls,
} from '../../../projections/bulk-user-logs/attention-queries.ts'
import { BULK_USER_LOGS } from '../../../projections/bulk-user-logs/queries.ts'
import { EMPLOYEES } from '../../../projections/employees/queries.ts'
import type { AttentionFacts, AttentionItem, KeyFacts } from '../../domain/attention.ts'
import {
  EXPIRED_LONG_AGO_MS,
  EXPIRES_SOON_MS,
  findAttention,
  NEARLY_USED,
  startOfYesterday,
} from '../../domain/attention.ts'
import { fromUuid, toUuid } from '../../domain/ids.ts'
import type { ApiKeyRow } from '../api-keys/read-api-keys.ts'
import { SELECT_API_KEYS, toApiKeyRecord } from '../api-keys/read-api-keys.ts'
import type { LedgerDb } from '../../ledger/tables.ts'
import { readDisputes } from './read-disputes.ts'

/** What needs attention, and the company's last call. */
export interface Attention {
  /** The time of what was read, RFC 3339 UTC. */
  now: string
  items: AttentionItem[]
  /** Null if the company has made no call. */
  lastCall: { logId: string; requestedAt: string; records: number; status: 'Completed' | 'Failed' } | null
}

/** The keys that are looked at; further ones need no attention yet, or are too many to show. */
const MAX_KEYS = 200

/** Reads what needs the attention of a company's administrators now, by the database's clock. */
export async function readAttention(db: LedgerDb, companyId: string): Promise<Attention> {
  const { now, timeZone } = await readClockOf(db, companyId)
  const since = new Date(startOfYesterday(Date.parse(now), timeZone)).toISOString()
  // One after the other, on one connection: every page of an administrator reads this.
  const items = findAttention({
    now,
    timeZone,
    keys: await readKeys(db, companyId),
    failedCalls: await readFailedCalls(db, companyId, since),
    webhooks: await readWebhooks(db, companyId),
    provider: await readProvider(db, companyId),
    parkedProjections: await readParkedProjections(db, companyId),
    disputes: await readDisputes(db, companyId),
  })
  return { now, items, lastCall: await findLastCall(db, companyId) }
}

async function readClockOf(db: LedgerDb, companyId: string): Promise<{ now: string; timeZone: string }> {
  const { rows } = await sql<{ now: string; time_zone: string }>`
    select clock_timestamp() as now, time_zone from companies where company_id = ${toUuid(companyId)}`.execute(db)
  return { now: rows[0]!.now, timeZone: rows[0]!.time_zone }
}

/** Reads the keys that end, that have used much of their quota, or that expect calls. */
async function readKeys(db: LedgerDb, companyId: string): Promise<KeyFacts[]> {
  const { rows } = await sql<ApiKeyRow>`${sql.raw(SELECT_API_KEYS)}
    where k.company_id = ${toUuid(companyId)} and not k.is_revoked and (
      k.expires_at between clock_timestamp() - make_interval(secs => ${EXPIRED_LONG_AGO_MS / 1_000})
        and clock_timestamp() + make_interval(secs => ${EXPIRES_SOON_MS / 1_000})
      or u.requests_made >= ${NEARLY_USED}::float * k.quota_limit and k.quota_limit > 0
      or k.expected_calls is not null)
    order by k.api_id desc limit ${MAX_KEYS}`.execute(db)
  const keys = rows.map(toApiKeyRecord)
  const waiting = keys.filter(({ expectedCalls }) => expectedCalls !== null).map(({ id }) => id)
  const calls = await findLastCallsOf(db, companyId, waiting)
  const lastCallOf = new Map(calls.map(({ keyId, requestedAt }) => [keyId, requestedAt]))
  return keys.map((key) => ({
    id: key.id,
    name: key.name,
    isEnabled: key.isEnabled,
    expiresAt: key.expiresAt,
    quotaLimit: key.quotaLimit,
    refreshPeriod: key.refreshPeriod,
    usage: key.usage,
    expectation: key.expectedCalls && key.expectedSince ? { calls: key.expectedCalls, since: key.expectedSince } : null,
    lastCallAt: lastCallOf.get(key.id) ?? null,
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
