/**
 * SQL for the time in a column, moved back by an SQL interval. On a cluster, an UPDATE refuses `column - interval`, whose
 * result can depend on the session's time zone. This says the time zone.
 */
export function earlier(column: string, interval: string): string {
  return `(${column} at time zone 'UTC' - ${interval}) at time zone 'UTC'`
}
