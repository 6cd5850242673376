import type { Pool } from 'pg'
import { withClient } from './pool.ts'

/*
 * The database's clock decides, because processes on several machines share nothing else. Where a statement is at hand,
 * it reads the clock itself. Elsewhere, this gives the database's time as it was last measured, plus what has passed
 * since by a clock that nobody sets.
 */

const MEASURED_EVERY_MS = 60_000

/** When the clock was last measured, by `performance.now()`, and what it said. */
let measured: { atMs: number; databaseMs: number } | null = null

/**
 * Measures the database's clock now and every minute. If the database doesn't answer, the last measurement stays. Returns
 * the function that ends it.
 */
export async function followDatabaseClock(pool: Pick<Pool, 'connect'>): Promise<() => void> {
  await measure(pool)
  const timer = setInterval(() => void measure(pool).catch(() => undefined), MEASURED_EVERY_MS)
  timer.unref()
  return () => clearInterval(timer)
}

async function measure(pool: Pick<Pool, 'connect'>) {
  // Opening a connection, and its first statement, would count as the way to the clock.
  measured = await withClient(pool, async (client) => {
    await client.query('select')
    const before = performance.now()
    const { rows } = await client.query<{ ms: number }>(
      'select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms',
    )
    return { atMs: (before + performance.now()) / 2, databaseMs: rows[0]!.ms }
  })
}

/** The database's time, in milliseconds since the epoch; that of this process if it has not been measured. */
export function databaseTimeMs(): number {
  return Math.round(measured ? measured.databaseMs + performance.now() - measured.atMs : Date.now())
}

/** The database's time, RFC 3339 UTC. */
export function databaseTime(): string {
  return new Date(databaseTimeMs()).toISOString()
}

/** How far the database's clock is ahead of that of this process, in seconds; negative if it is behind. */
export function secondsAhead(): number {
  return Math.round((databaseTimeMs() - Date.now()) / 1_000)
}
