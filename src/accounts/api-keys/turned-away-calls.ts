import { sql, type RawBuilder } from 'kysely'
import type { Pool } from 'pg'
import { whyTurnedAway, type TurnedAwayReason } from '#domain/accounts/secrets'
import { toUuid } from '#domain/ids'
import { deleteInPieces } from '#postgres/delete-in-pieces'
import type { Row } from '#ledger/tables'
import type { FoundKey } from './key-access.ts'

/*
 * Calls with a secret that once let them in: it was replaced, or its key was revoked or has expired. They are answered
 * as calls with any other wrong secret, and have no entry. Somebody has forgotten a program, so they are counted.
 */

/** Counts calls with secrets that are not valid any more. */
export interface TurnedAwayCalls {
  /**
   * Looks at a call that was refused for its secret, once it has been answered: every such call takes as long. Counts it
   * if the secret was the key's. Counts are stored once a minute; what is not stored when a process is killed is lost.
   */
  note(found: FoundKey | null, secretHash: string, address: string): void
  /** Stores all counts. */
  flush(): Promise<void>
}

/** Keys whose calls may wait to be stored; those of further keys are not counted meanwhile. */
const MAX_WAITING = 10_000
const STORED_AFTER_MS = 60_000

interface Waiting {
  apiId: string
  reason: TurnedAwayReason
  calls: number
  lastMs: number
  address: string
}

/** Creates the counts. Calls `onError` if some can't be stored; they are lost then. */
export function createTurnedAwayCalls(pool: Pool, onError: (error: unknown) => void): TurnedAwayCalls {
  let waiting = new Map<string, Waiting & { companyId: string }>()
  let timer: NodeJS.Timeout | undefined

  function count(found: FoundKey, secretHash: string, address: string) {
    const { companyId, key, formerSecrets, nowMs } = found
    const reason = whyTurnedAway({ ...key, formerSecrets }, secretHash, nowMs)
    const pending = waiting.get(key.id)
    if (reason === null || (!pending && waiting.size >= MAX_WAITING)) return
    const calls = (pending?.calls ?? 0) + 1
    waiting.set(key.id, { companyId, apiId: key.id, reason, calls, lastMs: nowMs, address })
    timer ??= setTimeout(() => void flush(), STORED_AFTER_MS).unref()
  }

  async function flush() {
    clearTimeout(timer)
    timer = undefined
    const batch = waiting
    waiting = new Map()
    for (const [companyId, calls] of Map.groupBy(batch.values(), (one) => one.companyId))
      await store(pool, companyId, calls).catch(onError)
  }

  return {
    note(found, secretHash, address) {
      setImmediate(() => found && count(found, secretHash, address))
    },
    flush,
  }
}

/** Adds calls of a company's keys to those of their hours, in the order of the keys: other processes do so, too. */
async function store(pool: Pool, companyId: string, calls: readonly Waiting[]) {
  const inOrder = calls.toSorted((one, other) => (one.apiId < other.apiId ? -1 : 1))
  await pool.query(
    `insert into turned_away_calls as known (company_id, api_id, hour, reason, calls, last_at, address)
     select $1::uuid, api_id, date_trunc('hour', last_at), reason, calls, last_at, address
     from unnest($2::uuid[], $3::text[], $4::integer[], $5::timestamptz[], $6::text[])
       as sent(api_id, reason, calls, last_at, address)
     on conflict (company_id, api_id, hour) do update set calls = known.calls + excluded.calls,
       reason = excluded.reason, last_at = excluded.last_at, address = excluded.address`,
    [
      toUuid(companyId),
      inOrder.map(({ apiId }) => toUuid(apiId)),
      inOrder.map(({ reason }) => reason),
      inOrder.map((one) => one.calls),
      inOrder.map(({ lastMs }) => new Date(lastMs).toISOString()),
      inOrder.map(({ address }) => address || null),
    ],
  )
}

/** The keys whose calls are listed, those with the most calls. */
export const MAX_KEYS_TURNED_AWAY = 200

/** A key whose calls were turned away, and what its last one was. */
export interface TurnedAwayRow extends Row<'turned_away_calls', 'api_id' | 'reason' | 'last_at' | 'address'> {
  name: string
  calls: number
  since: string
  rotated_at: string | null
  expires_at: string | null
}

/** Selects the keys of a company (a UUID) whose calls were turned away since a time (RFC 3339 UTC). */
export function selectTurnedAway(company: string, since: string): RawBuilder<TurnedAwayRow> {
  return sql`
    select t.api_id, k.name, k.rotated_at, k.expires_at, sum(t.calls)::integer as calls, min(t.hour) as since,
      max(t.last_at) as last_at, (array_agg(t.reason order by t.hour desc))[1] as reason,
      (array_agg(t.address order by t.hour desc))[1] as address
    from turned_away_calls t join api_keys k on k.company_id = t.company_id and k.api_id = t.api_id
    where t.company_id = ${company} and t.hour >= ${since}
    group by t.api_id, k.name, k.rotated_at, k.expires_at
    order by calls desc, t.api_id limit ${MAX_KEYS_TURNED_AWAY}`
}

/** Days for which they are kept, unless addresses are kept for less. */
const KEPT_DAYS = 7

/** Deletes the counts of calls that were turned away long ago. */
export async function forgetTurnedAway(pool: Pool, addressesKeptDays: number): Promise<void> {
  const days = Math.min(KEPT_DAYS, addressesKeptDays)
  const isOld = sql`hour < statement_timestamp() - make_interval(days => ${days})`
  await deleteInPieces(pool, 'turned_away_calls', ['company_id', 'api_id', 'hour'], isOld, 'hour')
}
