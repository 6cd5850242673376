import { sql, type RawBuilder } from 'kysely'
import { LRUCache } from 'lru-cache'
import {
  type FailedCallsRow,
  readFailedCalls,
  selectFailedCalls,
  selectLastCalls,
} from '#projections/bulk-user-logs/attention-queries'
import { selectSetBack, selectWriterKeys } from '#projections/bulk-user-logs/overwritten-fields'
import { BULK_USER_LOGS } from '#projections/bulk-user-logs/queries'
import { PROJECTIONS } from '#projections/index'
import {
  type AttentionFacts,
  type AttentionItem,
  type KeyFacts,
  EXPIRED_LONG_AGO_MS,
  EXPIRES_SOON_MS,
  UNUSED_MS,
  findAttention,
  nameOfItem,
  NEARLY_USED,
  startOfYesterday,
} from '#domain/attention'
import type { AttentionKind } from '#domain/attention-kinds'
import { formatLocalDay } from '#domain/local-times'
import { MAX_SNOOZES } from '#domain/snoozes'
import { findOverwritten, type SetBack, type WriterKey } from '#domain/accounts/overwritten-fields'
import { REFRESH_PERIODS, windowStart } from '#domain/accounts/api-key'
import { fromUuid, isId, toUuid } from '#domain/ids'
import { MAX_KEYS_TURNED_AWAY, selectTurnedAway, type TurnedAwayRow } from '#accounts/api-keys/turned-away-calls'
import { keyUsageOf, type UsageRow } from '#ledger/append/statements'
import { selectFailingWork } from '#ledger/background/failing-work'
import { selectUnfoldedCalls, type UnfoldedCall } from '#ledger/calls/select-unfolded-calls'
import type { LedgerDb, Row } from '#ledger/tables'

type Condition = RawBuilder<unknown>

/** What needs attention. */
export interface Attention {
  /** The time for which it was decided, RFC 3339 UTC. */
  now: string
  items: AttentionItem[]
  /** What somebody has put off, of what would need attention. */
  snoozed: AttentionItem[]
  /** What is put off, whether it would need attention or not, that which returns first to begin with. */
  snoozes: Snooze[]
  /** The kinds of which there may be more than `items` has. */
  uncounted: AttentionKind[]
}

/** A problem that somebody has put off. */
export type Snooze = Row<'attention_snoozes', 'name' | 'item' | 'until' | 'reason' | 'actor'>

/** The database's time (RFC 3339 UTC), and the company's time zone. */
export interface CompanyClock {
  now: string
  timeZone: string
}

/** What sources set back of each other, by company. */
type RecentSetBacks = LRUCache<string, SetBack[]>

/** Remembers it for a minute, of companies that have so many rows together. */
export function rememberSetBacks(): RecentSetBacks {
  return new LRUCache({ maxSize: 20_000, sizeCalculation: ({ length }) => length + 1, ttl: 60_000 })
}

/** The keys that are read of each need, and those that expect calls. */
const MAX_KEYS = 200
const MAX_EXPECTING = 1_000

/** Reads the clock of a company. */
export async function readClockOf(db: LedgerDb, companyId: string): Promise<CompanyClock> {
  const { rows } = await sql<Row<'companies', 'time_zone'> & { now: string }>`
    select clock_timestamp() as now, time_zone from companies where company_id = ${toUuid(companyId)}`.execute(db)
  return { now: rows[0]!.now, timeZone: rows[0]!.time_zone }
}

/**
 * Reads what needs the attention of a company's administrators at a time. The keys and the people of the items in
 * `raised` are read however many others there are, to tell whether they still need attention. Every page of an
 * administrator reads this, so it is one statement, and another one if keys expect calls; what sources set back of each
 * other, which costs more than all the rest, may be as of a moment ago.
 */
export async function readAttention(
  db: LedgerDb,
  companyId: string,
  { now, timeZone }: CompanyClock,
  raised: readonly AttentionItem[] = [],
  recent?: RecentSetBacks,
): Promise<Attention> {
  const company = toUuid(companyId)
  const since = new Date(startOfYesterday(Date.parse(now), timeZone)).toISOString()
  const known = recent?.get(companyId)
  const again = raised.flatMap(({ details }) => ('employee_id' in details ? [details.employee_id] : []))
  const { rows } = await sql<FactRows>`select ${listOf(selectFailedCalls(companyId, since))} as failed_calls,
    ${listOf(selectKeys(company, now, since, raised))} as keys,
    ${listOf(selectTurnedAway(company, since))} as turned_away, ${listOf(selectWebhooks(company))} as webhooks,
    ${listOf(selectProvider(company))} as providers, ${listOf(selectParkedProjections(company))} as parked,
    ${listOf(selectWriterKeys(companyId, now))} as writers,
    ${known ? null : listOf(selectSetBack(companyId, now, again))} as set_back,
    ${listOf(selectDisputes(companyId))} as disputes, ${listOf(selectFailingWork(companyId))} as failing_work,
    ${listOf(selectSnoozes(company, formatLocalDay(Date.parse(now), timeZone)))} as snoozes`.execute(db)
  const facts = rows[0]!
  const setBack = known ?? facts.set_back
  if (!known) recent?.set(companyId, setBack)
  const { failedCalls, partialCalls, isCut } = readFailedCalls(facts.failed_calls)
  const withTime = <Item extends { since: string | null }>(item: Item) => ({ ...item, since: toTime(item.since) })
  const found = findAttention({
    now,
    timeZone,
    keys: await addLastCalls(db, companyId, facts.keys),
    failedCalls: failedCalls.map(withTime),
    partialCalls: partialCalls.map(withTime),
    turnedAway: facts.turned_away.map(toTurnedAway),
    overwritten: findOverwritten(setBack, facts.writers).map(withTime),
    webhooks: facts.webhooks.map(toWebhook),
    provider: facts.providers.map(toProvider)[0] ?? null,
    parkedProjections: facts.parked.filter(isCurrent).map(toParked),
    disputes: facts.disputes.map((dispute) => ({ ...dispute, since: toTime(dispute.since) })),
    failingWork: facts.failing_work.map((work) => ({ ...work, since: toTime(work.since) })),
  })
  const { snoozes } = facts
  const names = new Set(snoozes.map(({ name }) => name))
  const snoozed = found.filter((item) => names.has(nameOfItem(item)))
  const items = found.filter((item) => !snoozed.includes(item))
  const uncounted: AttentionKind[] = isCut ? ['calls_failed', 'records_refused'] : []
  if (facts.turned_away.length === MAX_KEYS_TURNED_AWAY) uncounted.push('calls_turned_away')
  return { now, items, snoozed, snoozes, uncounted }
}

/** What is read of a company, each as the rows of a statement of its own. */
interface FactRows {
  failed_calls: FailedCallsRow[]
  keys: KeyRow[]
  turned_away: TurnedAwayRow[]
  writers: WriterKey[]
  set_back: SetBack[]
  webhooks: WebhookRow[]
  providers: ProviderRow[]
  parked: ParkedRow[]
  disputes: AttentionFacts['disputes']
  failing_work: AttentionFacts['failingWork']
  snoozes: Snooze[]
}

/** Selects what is put off beyond a day (YYYY-MM-DD). */
function selectSnoozes(company: string, today: string): RawBuilder<Snooze> {
  return sql`select name, item, until, reason, actor from attention_snoozes
    where company_id = ${company} and until > ${today} order by until, name limit ${MAX_SNOOZES}`
}

/** SQL for the rows of a query as one JSON array, in their order. */
function listOf<Listed>(query: RawBuilder<Listed>): RawBuilder<Listed[]> {
  return sql`(select coalesce(json_agg(r), '[]') from (${query}) r)`
}

/** PostgreSQL writes times in JSON without the zeros at their ends, and UTC as an offset. */
function toTime(time: string): string
function toTime(time: string | null): string | null
function toTime(time: string | null) {
  return time === null ? null : new Date(time).toISOString()
}

/** The keys with a need: which they are, and which of them are read first. */
interface KeyNeed {
  isNeeded: Condition
  order?: Condition
}

/**
 * When a key `k` with its usage `u` has each need that its own row tells, by a time (RFC 3339); what happened `since`
 * the start of yesterday counts. The domain decides; these conditions only choose the keys that are read. An index finds
 * the keys of each, so that others cost nothing.
 */
function buildNeeds(
  now: string,
  since: string,
): Record<Extract<AttentionKind, `quota_${string}` | `key_${string}`>, KeyNeed> {
  const nowMs = Date.parse(now)
  const at = (ms: number) => sql`${new Date(ms).toISOString()}::timestamptz`
  const windows = REFRESH_PERIODS.map((period) => sql`when ${period} then ${at(windowStart(period, nowMs))}`)
  const isLive = sql`k.is_enabled and (k.expires_at is null or k.expires_at > ${at(nowMs)})`
  const sinceMs = Date.parse(since)
  const firstWindow = REFRESH_PERIODS.reduce((first, period) => Math.min(first, windowStart(period, sinceMs)), sinceMs)
  const isRecent = sql`u.last_window >= ${at(firstWindow)}`
  const uses = (condition: Condition) => ({
    isNeeded: sql`${isRecent} and ${isLive} and k.quota_limit > 0 and ${condition}
      and u.window_start >= case k.refresh_period ${sql.join(windows, sql` `)} end`,
  })
  const hasRecent = (name: 'refused' | 'unusual') => ({
    isNeeded: sql`${isRecent} and u.people_use #>> array[${name}, 'at'] >= ${since}`,
  })
  return {
    quota_used: uses(sql`u.requests_made >= k.quota_limit`),
    key_limit_reached: hasRecent('refused'),
    key_deactivated_many: hasRecent('unusual'),
    key_expired: { isNeeded: sql`k.expires_at between ${at(nowMs - EXPIRED_LONG_AGO_MS)} and ${at(nowMs)}` },
    quota_nearly_used: uses(
      sql`u.requests_made >= ${NEARLY_USED}::float * k.quota_limit and u.requests_made < k.quota_limit`,
    ),
    key_expiring: {
      isNeeded: sql`k.is_enabled and k.expires_at > ${at(nowMs)} and k.expires_at <= ${at(nowMs + EXPIRES_SOON_MS)}`,
    },
    // Without a use, the window is still that in which the key was issued.
    key_unused: {
      isNeeded: sql`${isLive} and u.last_window is null and u.last_used is null
        and k.created_at <= ${at(nowMs - UNUSED_MS)} and u.window_start <= ${at(nowMs - UNUSED_MS)}`,
      order: sql`u.window_start, u.api_id`,
    },
  }
}

type KeyRow = Row<'api_keys', 'api_id' | 'name' | 'is_enabled' | 'created_at' | 'expires_at'> &
  Row<'api_keys', 'quota_limit' | 'refresh_period' | 'expected_calls' | 'expected_since'> &
  UsageRow

/** Selects the first keys of each need, those that expect calls, and those that were raised. */
function selectKeys(company: string, now: string, since: string, raised: readonly AttentionItem[]): RawBuilder<KeyRow> {
  const raisedIds = [...new Set(raised.map(({ subject }) => subject.id))].filter((id) => isId('key', id)).map(toUuid)
  const joined = sql`api_keys k join api_key_usage u on u.company_id = k.company_id and u.api_id = k.api_id
    where k.company_id = ${company} and u.company_id = ${company} and not k.is_revoked`
  // Keys with the same need are in an order that another key doesn't change.
  const needing = Object.values(buildNeeds(now, since)).map(
    ({ isNeeded, order = sql`k.expires_at, k.api_id` }) =>
      sql`(select k.api_id from ${joined} and ${isNeeded} order by ${order} limit ${MAX_KEYS})`,
  )
  return sql`
    select found.* from (
      ${sql.join(needing, sql` union `)}
      union (select k.api_id from ${joined} and k.expected_calls is not null
        order by u.last_used nulls first, k.api_id limit ${MAX_EXPECTING})
      union select unnest(${raisedIds}::uuid[])
    ) needing cross join lateral (
      select k.api_id, k.name, k.is_enabled, k.created_at, k.expires_at, k.quota_limit, k.refresh_period,
        k.expected_calls, k.expected_since, u.window_start, u.requests_made, u.last_used, u.people_use
      from ${joined} and k.api_id = needing.api_id limit 1) found
    order by found.api_id desc`
}

/** Adds when each key that expects calls made its last one. */
async function addLastCalls(db: LedgerDb, companyId: string, rows: readonly KeyRow[]): Promise<KeyFacts[]> {
  const waiting = rows.filter((row) => row.expected_calls !== null).map((row) => fromUuid('key', row.api_id))
  const lastCallOf = await readLastCallsOf(db, companyId, waiting)
  return rows.map((row) => {
    const id = fromUuid('key', row.api_id)
    const [calls, since] = [row.expected_calls, row.expected_since]
    return {
      id,
      name: row.name,
      isEnabled: row.is_enabled,
      createdAt: toTime(row.created_at),
      expiresAt: toTime(row.expires_at),
      quotaLimit: row.quota_limit,
      refreshPeriod: row.refresh_period,
      usage: keyUsageOf(row),
      expectation: calls && since ? { calls, since: toTime(since) } : null,
      lastCallAt: lastCallOf.get(id) ?? null,
    }
  })
}

/** Reads when each of these keys made its last call, which the log may not have yet. */
async function readLastCallsOf(db: LedgerDb, companyId: string, keyIds: string[]): Promise<Map<string, string>> {
  if (keyIds.length === 0) return new Map()
  const { rows } = await sql<{ unfolded: UnfoldedCall[]; folded: { key_id: string; requested_at: string }[] }>`
    select ${listOf(selectUnfoldedCalls(companyId, BULK_USER_LOGS, keyIds))} as unfolded,
      ${listOf(selectLastCalls(companyId, keyIds))} as folded`.execute(db)
  const { unfolded, folded } = rows[0]!
  return new Map([
    ...folded.map((row) => [fromUuid('key', row.key_id), toTime(row.requested_at)] as const),
    ...unfolded.map((row) => [row.actor, toTime(row.recorded_at)] as const),
  ])
}

function toTurnedAway(row: TurnedAwayRow): AttentionFacts['turnedAway'][number] {
  const { reason, calls, address } = row
  const endedAt = { former_secret: row.rotated_at, expired: row.expires_at, revoked: null }[reason]
  return {
    subject: { id: fromUuid('key', row.api_id), name: row.name },
    since: toTime(row.since),
    details: { reason, calls, last_at: toTime(row.last_at), address, ended_at: toTime(endedAt) },
  }
}

type WebhookRow = Row<'webhooks', 'webhook_id' | 'url' | 'description' | 'disabled_reason' | 'disabled_at'> &
  Row<'webhook_progress', 'failing_since' | 'error'>

function selectWebhooks(company: string): RawBuilder<WebhookRow> {
  return sql`
    select w.webhook_id, w.url, w.description, w.disabled_reason, w.disabled_at, p.failing_since, p.error
    from webhooks w join webhook_progress p on p.company_id = w.company_id and p.webhook_id = w.webhook_id
    where w.company_id = ${company} and w.status <> 'paused'
      and (w.disabled_reason is not null or p.failing_since is not null)
    order by w.webhook_id`
}

function toWebhook(row: WebhookRow) {
  return {
    id: fromUuid('whk', row.webhook_id),
    name: row.description || row.url,
    disabledReason: row.disabled_reason,
    disabledAt: toTime(row.disabled_at),
    failingSince: toTime(row.failing_since),
    error: row.error,
  }
}

type ProviderRow = Row<'identity_providers', 'provider_id' | 'name' | 'failing_since' | 'fault'>

function selectProvider(company: string): RawBuilder<ProviderRow> {
  return sql`select provider_id, name, failing_since, fault from identity_providers
    where company_id = ${company} and use <> 'off'`
}

function toProvider(row: ProviderRow): AttentionFacts['provider'] {
  const { provider_id: id, name, failing_since: failingSince, fault } = row
  return { id: fromUuid('idp', id), name, failingSince: toTime(failingSince), fault }
}

type ParkedRow = Row<'checkpoints', 'projection' | 'version' | 'position' | 'parked_at'>

function selectParkedProjections(company: string): RawBuilder<ParkedRow> {
  return sql`select projection, version, position, parked_at from checkpoints
    where company_id = ${company} and parked_at is not null`
}

/** Whether this version of the program reads it. */
function isCurrent({ projection, version }: ParkedRow) {
  return PROJECTIONS.some((current) => current.name === projection && current.version === version)
}

function toParked({
  projection,
  parked_at: parkedAt,
  position,
}: ParkedRow): AttentionFacts['parkedProjections'][number] {
  return { subject: { id: projection, name: projection }, since: toTime(parkedAt), details: { position } }
}

type Dispute = AttentionFacts['disputes'][number]

/** Selects which witnesses dispute the ledger of a company. A fault is recorded with its time and its error. */
function selectDisputes(companyId: string): RawBuilder<Dispute> {
  return sql`select witness as id, failing_since as since, fault, error from witness_progress
    where company_id = ${toUuid(companyId)} and fault <> 'unavailable' order by witness`
}

/** Reads which witnesses dispute the ledger of a company. */
export async function readDisputes(db: LedgerDb, companyId: string): Promise<Dispute[]> {
  return (await selectDisputes(companyId).execute(db)).rows
}
