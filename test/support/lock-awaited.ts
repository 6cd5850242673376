import { eventually } from './eventually.ts'
import type { Service } from './service.ts'

/** Resolves once so many wait for a row of a table that somebody holds: polled, since PostgreSQL has no signal for it. */
export async function lockIsAwaited(service: Service, table: 'heads' | 'api_key_usage', waiting = 1): Promise<void> {
  await eventually(`${waiting} wait for a row of ${table}`, async () => {
    const { rows } = await service.pool.query<{ count: number }>(
      `select count(*)::integer as count from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock' and query like '%' || $1 || '%'`,
      [table],
    )
    return rows[0]!.count >= waiting
  })
}
