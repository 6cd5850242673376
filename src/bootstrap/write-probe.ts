import type { Pool } from 'pg'
import { refusesWrites } from '../postgres/database-errors.ts'
import { withClient } from '../postgres/pool.ts'

/** How long it is known that writes are possible after one was, and that they are not, in milliseconds. */
const POSSIBLE_FOR_MS = 60_000
const IMPOSSIBLE_FOR_MS = 5_000

/**
 * Writes 10 kB, which no page has room for, as events do, and takes it back. The space is free again once PostgreSQL has
 * vacuumed the table.
 */
const PROBE = `begin;
  insert into failing_work (company_id, work, subject, since, seen_at, error)
    select '00000000-0000-0000-0000-000000000000', 'probe', gen_random_uuid()::text, now(), now(),
      string_agg(gen_random_uuid()::text, '') from generate_series(1, 400);
  rollback`

/** Knows whether the database can store anything: its disk may be full while it answers and takes statements. */
export interface WriteProbe {
  /** Takes note that a write of this process was committed. */
  written(): void
  /** Takes note that a write of this process failed. */
  failed(error: unknown): void
  /** Whether a write is possible: as the last one was, or as a probe says if there was none for a while. */
  isPossible(): Promise<boolean>
}

export function createWriteProbe(pool: Pool, now: () => number = () => performance.now()): WriteProbe {
  let known = { isPossible: true, until: -Infinity }
  let probing: Promise<boolean> | undefined
  const learn = (isPossible: boolean) => {
    known = { isPossible, until: now() + (isPossible ? POSSIBLE_FOR_MS : IMPOSSIBLE_FOR_MS) }
    return isPossible
  }
  const probe = () =>
    withClient(pool, (client) => client.query(PROBE)).then(
      () => learn(true),
      (error: unknown) => learn(!refusesWrites(error)),
    )
  return {
    written: () => void learn(true),
    failed(error) {
      if (refusesWrites(error)) learn(false)
    },
    async isPossible() {
      if (now() < known.until) return known.isPossible
      probing ??= probe().finally(() => (probing = undefined))
      return probing
    },
  }
}
