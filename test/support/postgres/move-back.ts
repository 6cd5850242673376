import type { Service } from '../service.ts'

/** Moves a time back in all rows of a table, as if so many seconds had passed. */
export async function moveBack({ pool }: Service, table: string, column: string, seconds: number): Promise<void> {
  await pool.query(`update ${table} set ${column} = ${earlier(column, 'make_interval(secs => $1)')}`, [seconds])
}

/**
 * SQL for the time in a column, moved back by an SQL interval. It is calculated in UTC, because Citus refuses an UPDATE
 * whose result depends on the session's time zone.
 */
export function earlier(column: string, interval: string): string {
  return `(${column} at time zone 'UTC' - ${interval}) at time zone 'UTC'`
}
