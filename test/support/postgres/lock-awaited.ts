import pg from 'pg'
import { eventually } from '../eventually.ts'
import type { Service } from '../service.ts'
import { testServerUrls } from './test-server.ts'

/** Resolves once this many transactions wait for a locked row of a table. Polls, since there is no signal for it. */
export async function lockIsAwaited(
  service: Service,
  table: 'heads' | 'api_key_usage' | 'employee_directory' | 'webhook_progress' | 'uploads' | 'upload_parts',
  waiting = 1,
): Promise<void> {
  await eventually(`${waiting} wait for a row of ${table}`, async () => {
    // On a cluster they wait on the row's machine.
    const counts = await Promise.all(
      testServerUrls().machines.map((machine) => countWaiting(machine, service.urls.name, table)),
    )
    return counts.reduce((sum, count) => sum + count, 0) >= waiting
  })
}

async function countWaiting(machine: string, database: string, table: string): Promise<number> {
  const client = new pg.Client({ connectionString: machine })
  await client.connect()
  try {
    const { rows } = await client.query<{ count: number }>(
      `select count(*)::integer as count from pg_stat_activity
       where datname = $1 and wait_event_type = 'Lock' and query like '%' || $2 || '%'`,
      [database, table],
    )
    return rows[0]!.count
  } finally {
    await client.end()
  }
}
