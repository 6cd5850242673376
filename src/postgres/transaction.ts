import type { Pool, PoolClient } from 'pg'
import { withClient } from './pool.ts'

/** Runs a task in a transaction, and commits it. A connection on which anything went wrong is not used again. */
export async function inTransaction<Result>(
  pool: Pool,
  task: (client: PoolClient) => Promise<Result>,
): Promise<Result> {
  return withClient(pool, async (client) => {
    await client.query('begin')
    const result = await task(client)
    await client.query('commit')
    return result
  })
}
