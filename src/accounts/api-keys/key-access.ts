import type { Pool, PoolClient } from 'pg'
import { type ApiKey, giveBack, requestsInWindow, useKey, type KeyUsage } from '#domain/accounts/api-key'
import type { Problem } from '#domain/errors'
import { fromUuid } from '#domain/ids'
import { createBudget } from '#admission/budget'
import { createContended, gatherCompanies } from '#admission/contended'
import { UnavailableError } from '#admission/batcher'
import { meansNotCommitted, UnconfirmedCommitError, retryOnce } from '#postgres/database-errors'
import { BEGIN, COMMIT, pipeline } from '#postgres/pipeline'
import { withClient, holdCompany, type QueryClient, type WhenLocked } from '#postgres/pool'
import { createSharedLookup, LOOKUP_BATCH, LOOKUP_BUDGET } from '#ledger/read/shared-lookup'
import * as statements from '#ledger/append/statements'

/** The current state of a key and its company. */
export interface FoundKey {
  companyId: string
  /** The company's secret for keyed hashes of guessable texts. */
  hashKey: Buffer
  key: ApiKey
  usage: KeyUsage
  /** When its former secrets were replaced (RFC 3339 UTC), by their SHA-256 (hexadecimal). */
  formerSecrets: Readonly<Record<string, string>>
  /** The database's time, milliseconds since the epoch. */
  nowMs: number
}

/** A key as its caller names it: the secret names the company. */
export interface KeyName {
  companyId: string
  apiId: string
}

/**
 * Looks up API keys, in one statement for all that arrive together, of at most so many companies. Nothing is cached, so a
 * change takes effect at once.
 */
export function createKeyLookup(pool: Pool, companiesTogether = Infinity): (name: KeyName) => Promise<FoundKey | null> {
  return createSharedLookup<KeyName, FoundKey>(pool, companiesTogether, {
    holderOf: ({ apiId }) => apiId,
    async find(client, names) {
      const distinct = new Map(names.map((name) => [nameOf(name), name]))
      const keys = new Map(await queryKeys(client, [...distinct.values()]))
      return names.map((name) => keys.get(nameOf(name)) ?? null)
    },
  })
}

const nameOf = ({ companyId, apiId }: KeyName) => `${companyId} ${apiId}`

interface FoundKeyRow extends statements.StandingRow, statements.UsageRow {
  company_id: string
  former_secrets: Record<string, string> | null
  hash_key: Buffer
  now: string
}

async function queryKeys(client: QueryClient, names: KeyName[]): Promise<[string, FoundKey][]> {
  const { rows } = await client.query<FoundKeyRow>({
    name: 'find-keys',
    text: statements.selectKeys('k.former_secrets, c.hash_key, clock_timestamp() as now'),
    values: statements.keyNames(names),
  })
  return rows.map((row) => {
    const key = statements.apiKeyOf(row)
    const companyId = fromUuid('com', row.company_id)
    const foundKey = {
      companyId,
      hashKey: row.hash_key,
      key,
      usage: statements.keyUsageOf(row),
      formerSecrets: row.former_secrets ?? {},
      nowMs: Date.parse(row.now),
    }
    return [nameOf({ companyId, apiId: key.id }), foundKey]
  })
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
export function createKeyUsageCounter(pool: Pool, companiesTogether = Infinity): KeyUsageCounter {
  const room = createBudget(LOOKUP_BUDGET)
  const bounds = { ...LOOKUP_BATCH, holderOf: ({ companyId }: KeyUse) => companyId }
  const count = (uses: KeyUse[], whenLocked: WhenLocked) =>
    retryOnce(() => withClient(pool, (client) => countUses(client, uses, { whenLocked, companiesTogether })))
  const contended = createContended<KeyUse, UsedKey | RefusedUse>(
    async (uses) => {
      const answers = await count(uses, 'wait')
      return answers.map((answer) =>
        answer === undefined ? Promise.reject(new Error('the usage of the key is missing')) : answer,
      )
    },
    bounds,
    WAITING_SLOTS,
  )
  const submit = gatherCompanies<KeyUse, UsedKey | RefusedUse>(
    async (uses) => {
      const answers = await count(uses, 'skip locked')
      return answers.map((answer, at) => (answer === undefined ? contended.submit(uses[at]!) : answer))
    },
    bounds,
    companiesTogether,
  )
  return { submit: (use) => room.hold(use.companyId, 1, undefined, () => submit(use)) }
}

/** Returns the answers in order; undefined where the key's usage row is locked. */
async function countUses(
  client: PoolClient,
  uses: KeyUse[],
  { whenLocked, companiesTogether }: { whenLocked: WhenLocked; companiesTogether: number },
): Promise<(UsedKey | RefusedUse | undefined)[]> {
  const distinct = [...new Map(uses.map((use) => [use.apiId, use])).values()]
  const [, , loaded, now] = await pipeline(client, (pipe) =>
    Promise.all([
      pipe.query(BEGIN),
      companiesTogether === 1 ? pipe.query(holdCompany(uses[0]!.companyId)) : null,
      statements.loadKeys(pipe, distinct, whenLocked),
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
  const commit = await pipeline(client, async (pipe) => {
    const update = statements.updateUsage(pipe, used)
    const [committed] = await Promise.all([pipe.query(COMMIT), update])
    return committed
  }).catch((error: unknown) => {
    if (meansNotCommitted(error)) throw error
    // What may be counted must not be counted again.
    const cause = new UnconfirmedCommitError(error)
    throw new UnavailableError('the usage of keys was not confirmed', { cause })
  })
  if (commit.command !== 'COMMIT') throw new Error('the transaction was rolled back instead of committed')
  return answers
}
