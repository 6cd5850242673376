import type { Pool, PoolClient } from 'pg'
import type { ApiKey, KeyUsage } from '../../domain/company.ts'
import { giveBack, requestsInWindow, useKey } from '../../domain/company.ts'
import type { Problem } from '../../domain/errors.ts'
import { fromUuid } from '../../domain/ids.ts'
import { uuidArray } from '../../postgres/binary-arrays.ts'
import { openBudget } from '../../admission/budget.ts'
import { openContended } from '../../admission/contended.ts'
import { gather, UnavailableError } from '../../admission/batcher.ts'
import { meansNotCommitted } from '../../postgres/database-errors.ts'
import type { QueryClient } from '../../postgres/pipeline.ts'
import { BEGIN, COMMIT, pipeline } from '../../postgres/pipeline.ts'
import { retryOnce } from '../../postgres/retry-once.ts'
import { isOnShards, shardOf, turnsOfCompanies } from '../../postgres/shards.ts'
import { withClient } from '../../postgres/with-client.ts'
import * as statements from '../../ledger/append/statements.ts'

/** The current state of a key and its company. */
export interface FoundKey {
  companyId: string
  /** The company's secret for keyed hashes of guessable texts. */
  hashKey: Buffer
  key: ApiKey
  usage: KeyUsage
  /** The database's time, milliseconds since the epoch. */
  nowMs: number
}

const MAX_SHARED = 500
const MAX_WAITING = 10_000
const MAX_WAIT_MS = 10_000
const MAX_CACHED_IDS = 100_000
const BOUNDS = { maxWeight: MAX_SHARED, weightOf: () => 1, maxWaitMs: MAX_WAIT_MS }
/** Maximum concurrent look-ups or counts. Beyond a quarter of them, one key or company must wait. */
const ROOM = { total: MAX_WAITING, maxWaiting: MAX_WAITING, maxWaitMs: MAX_WAIT_MS }

/**
 * Looks up API keys by id, in one statement for all that arrive together. Only the company of an id is cached, because it
 * never changes, so disabling a key takes effect at once everywhere.
 */
export function openKeyLookup(pool: Pool): (apiId: string) => Promise<FoundKey | null> {
  const companyOf = new Map<string, string>()
  const room = openBudget(ROOM)
  const { submit } = gather<string, FoundKey | null>(
    async (apiIds) => {
      const found = await retryOnce(async () => {
        await learnCompanies(pool, apiIds, companyOf)
        return findKeys(pool, apiIds, companyOf)
      })
      return apiIds.map((apiId) => found.get(apiId) ?? null)
    },
    { ...BOUNDS, holderOf: (apiId) => apiId },
  )
  return (apiId) => room.hold(apiId, 1, undefined, () => submit(apiId))
}

async function learnCompanies(pool: Pool, apiIds: string[], companyOf: Map<string, string>): Promise<void> {
  // Clear before finding the missing ids, so that cleared ids are loaded again for this batch.
  if (companyOf.size > MAX_CACHED_IDS) companyOf.clear()
  const unknown = [...new Set(apiIds.filter((apiId) => !companyOf.has(apiId)))]
  if (unknown.length === 0) return
  const { rows } = await pool.query<{ api_id: string; company_id: string }>({
    name: 'learn-companies',
    text: 'select api_id, company_id from api_key_directory where api_id = any($1::uuid[])',
    values: [uuidArray(unknown)],
  })
  for (const row of rows) companyOf.set(fromUuid('key', row.api_id), fromUuid('com', row.company_id))
}

interface FoundKeyRow extends statements.StandingRow, statements.UsageRow {
  company_id: string
  hash_key: Buffer
  now: string
}

async function findKeys(pool: Pool, apiIds: string[], companyOf: Map<string, string>): Promise<Map<string, FoundKey>> {
  const known = [...new Set(apiIds.filter((apiId) => companyOf.has(apiId)))]
  if (!isOnShards(pool)) return queryKeys(pool, known, companyOf)
  const ofEachCompany = [...Map.groupBy(known, (apiId) => companyOf.get(apiId)!).values()]
  const found = await withClient(pool, (client) =>
    pipeline(client, (pipe) => Promise.all(ofEachCompany.map((ids) => queryKeys(pipe, ids, companyOf)))),
  )
  return new Map(found.flatMap((keys) => [...keys]))
}

async function queryKeys(
  connection: QueryClient,
  known: string[],
  companyOf: Map<string, string>,
): Promise<Map<string, FoundKey>> {
  const shard = shardOf(connection, companyOf.get(known[0] ?? ''), [
    uuidArray(known.map((apiId) => companyOf.get(apiId)!)),
    uuidArray(known),
  ])
  const { rows } = await connection.query<FoundKeyRow>({
    name: 'find-keys',
    text: `select k.company_id, c.hash_key, k.api_id, k.name, k.secret_hash, k.previous_secret_hash, k.previous_expires_at,
        k.is_enabled, k.is_revoked, k.expires_at, k.scopes, k.allowed_networks, k.quota_limit, k.refresh_period,
        u.window_start, u.requests_made, u.last_used, clock_timestamp() as now
      from unnest($1::uuid[], $2::uuid[]) as wanted(company_id, api_id)
      join api_keys k on k.company_id = wanted.company_id and k.api_id = wanted.api_id
      join api_key_usage u on u.company_id = k.company_id and u.api_id = k.api_id
      join companies c on c.company_id = k.company_id${shard.and('u.company_id')}`,
    values: shard.values,
  })
  return new Map(
    rows.map((row) => {
      const key = statements.apiKeyOf(row)
      const usage = statements.keyUsageOf(row)
      const companyId = fromUuid('com', row.company_id)
      return [key.id, { companyId, hashKey: row.hash_key, key, usage, nowMs: Date.parse(row.now) }]
    }),
  )
}

/** The use of a key by a call that appends nothing. */
interface KeyUse {
  companyId: string
  apiId: string
  /** The cost in quota units. `giveBack` returns one unit to the window that began at this time. */
  cost: number | { giveBack: number }
  /** Why the caller may not use the key at this moment, or null. `nowMs` is milliseconds since the epoch. */
  refusalOf(key: ApiKey, nowMs: number): Problem | null
}

export interface UsedKey {
  key: ApiKey
  companyName: string
  /** The usage before this call. */
  before: KeyUsage
  after: KeyUsage
  /** Whether the quota admits the call. A call that is not admitted costs nothing. */
  isAdmitted: boolean
  /** The database's time, milliseconds since the epoch. */
  nowMs: number
}

/** A use that was refused, and not counted. */
interface RefusedUse {
  refusal: Problem
}

/** Counts reading calls. */
export interface KeyUsageCounter {
  submit(use: KeyUse): Promise<UsedKey | RefusedUse>
}

/** Maximum concurrent transactions that wait for a locked usage row. */
const WAITING_SLOTS = 2

/**
 * Counts uses of keys by reading calls, in one transaction for all that arrive together. A key whose usage row is locked
 * waits separately and delays no other key.
 */
export function openKeyUsage(pool: Pool): KeyUsageCounter {
  const bounds = { ...BOUNDS, ...turnsOfCompanies(pool) }
  const room = openBudget(ROOM)
  const contended = openContended<KeyUse, UsedKey | RefusedUse>(
    async (uses) => {
      const answers = await retryOnce(() => withClient(pool, (client) => countUses(client, uses, true)))
      return answers.map((answer) =>
        answer === undefined ? Promise.reject(new Error('the usage of the key is missing')) : answer,
      )
    },
    bounds,
    WAITING_SLOTS,
  )
  const { submit } = gather<KeyUse, UsedKey | RefusedUse>(async (uses) => {
    const answers = await retryOnce(() => withClient(pool, (client) => countUses(client, uses, false)))
    return answers.map((answer, at) => (answer === undefined ? contended.submit(uses[at]!) : answer))
  }, bounds)
  return { submit: (use) => room.hold(use.companyId, 1, undefined, () => submit(use)) }
}

/** Returns the answers in order; undefined where the key's usage row is locked. */
async function countUses(
  client: PoolClient,
  uses: KeyUse[],
  wait: boolean,
): Promise<(UsedKey | RefusedUse | undefined)[]> {
  const distinct = new Map(uses.map((use) => [use.apiId, use]))
  const [, loaded, now] = await pipeline(client, (pipe) =>
    Promise.all([
      pipe.query(BEGIN),
      statements.loadKeys(pipe, [...distinct.values()], wait),
      // Behind the rows that may have to be waited for: the time is that of the admission.
      statements.readClock(pipe),
    ]),
  )
  const nowMs = Date.parse(now)
  const keys = new Map(loaded.map((entry) => [entry.key.id, entry]))
  const answers = uses.map(({ apiId, cost, refusalOf }): UsedKey | RefusedUse | undefined => {
    const entry = keys.get(apiId)
    if (!entry) return undefined
    const refusal = refusalOf(entry.key, nowMs)
    if (refusal) return { refusal }
    const before = entry.usage
    const { quotaLimit, refreshPeriod } = entry.key
    if (typeof cost === 'object') {
      entry.usage = giveBack(before, cost.giveBack)
      return { key: entry.key, companyName: entry.companyName, before, after: entry.usage, isAdmitted: true, nowMs }
    }
    // Admit as many calls as fit, not all or none of the batch.
    const isAdmitted = requestsInWindow(before, refreshPeriod, nowMs) + cost <= quotaLimit || cost === 0
    entry.usage = useKey(before, refreshPeriod, nowMs, isAdmitted ? cost : 0)
    return { key: entry.key, companyName: entry.companyName, before, after: entry.usage, isAdmitted, nowMs }
  })
  const used = [...keys.values()].map(({ companyId, key, usage }) => ({ companyId, apiId: key.id, usage }))
  const [, commit] = await pipeline(client, (pipe) =>
    Promise.all([statements.updateUsage(pipe, used), pipe.query(COMMIT)]),
  ).catch((error: unknown) => {
    // What may be counted must not be counted again.
    throw meansNotCommitted(error)
      ? error
      : new UnavailableError('the usage of keys was not confirmed', { cause: error })
  })
  if (commit.command !== 'COMMIT') throw new Error('the transaction was rolled back instead of committed')
  return answers
}
