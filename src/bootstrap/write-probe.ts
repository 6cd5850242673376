import { setTimeout as pause } from 'node:timers/promises'
import type { Pool } from 'pg'
import type { CommitOptions } from '#ledger/append/commit-batch'
import { refusesWrites } from '#postgres/database-errors'
import { withClient } from '#postgres/pool'

/** How long it is known that writes are possible after one was, and that they are not, in milliseconds. */
const POSSIBLE_FOR_MS = 60_000
const IMPOSSIBLE_FOR_MS = 5_000
/** How long a probe is waited for: the machine of a cluster that it asks may hang, which says nothing about the others. */
const PROBE_MS = 1_000

/**
 * Writes 10 kB, which no page has room for, as events do, and takes it back. The space is free again once PostgreSQL has
 * vacuumed the table.
 */
const PROBE = `begin;
  insert into failing_work (company_id, work, subject, since, seen_at, error)
    select '00000000-0000-0000-0000-000000000000', 'probe', gen_random_uuid()::text, now(), now(),
      string_agg(gen_random_uuid()::text, '') from generate_series(1, 400);
  rollback`

type Transactions = Required<Pick<CommitOptions, 'onTransaction' | 'onFailed'>>

/** Knows whether the database can store anything: its disk may be full while it answers and takes statements. */
interface WriteProbe {
  /** Lets the lanes tell of their transactions, which `onTransaction` hears of, too. */
  watch(onTransaction: Transactions['onTransaction']): Transactions
  /** Whether a write is possible: as the last one was, or as a probe says if there was none for a while. */
  isPossible(): Promise<boolean>
}

/** Whether the database stores anything now, as far as a small write tells. */
export function canWrite(pool: Pool): Promise<boolean> {
  return withClient(pool, (client) => client.query(PROBE)).then(
    () => true,
    (error: unknown) => !refusesWrites(error),
  )
}

export function createWriteProbe(
  pool: Pool,
  { now = () => performance.now(), probeMs = PROBE_MS }: { now?(): number; probeMs?: number } = {},
): WriteProbe {
  let known = { isPossible: true, until: -Infinity }
  let probing: Promise<boolean> | undefined
  const learn = (isPossible: boolean) => {
    known = { isPossible, until: now() + (isPossible ? POSSIBLE_FOR_MS : IMPOSSIBLE_FOR_MS) }
    return isPossible
  }
  const probe = async () => learn(await canWrite(pool))
  return {
    watch: (onTransaction) => ({
      onTransaction(calls, records, seconds) {
        learn(true)
        onTransaction(calls, records, seconds)
      },
      onFailed(error) {
        if (refusesWrites(error)) learn(false)
      },
    }),
    async isPossible() {
      if (now() < known.until) return known.isPossible
      probing ??= probe().finally(() => (probing = undefined))
      return Promise.race([probing, pause(probeMs, known.isPossible, { ref: false })])
    },
  }
}
