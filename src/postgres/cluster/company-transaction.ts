import type { Pool, PoolClient } from 'pg'
import { beginFor } from './company-connections.ts'

/** Runs a task in a transaction of a company, and commits it. A connection on which anything went wrong is not used again. */
export async function inTransactionOf<Result>(
  pool: Pool,
  companyId: string,
  task: (client: PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await beginFor(pool, companyId)
  try {
    const result = await task(client)
    await client.query('commit')
    client.release()
    return result
  } catch (error) {
    client.release(true)
    throw error
  }
}
