import type { Service } from '../service.ts'

/**
 * Moves a time back in all rows of a table, as if so many seconds had passed. It is calculated in UTC, because Citus
 * refuses an UPDATE whose result depends on the session's time zone.
 */
export async function moveBack({ pool }: Service, table: string, column: string, seconds: number): Promise<void> {
  await pool.query(
    `update ${table} set ${column} = (${column} at time zone 'UTC' - make_interval(secs => $1)) at time zone 'UTC'`,
    [seconds],
  )
}
