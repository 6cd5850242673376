import type { Pool, PoolClient } from 'pg'
import { currentCompany } from './company-scope.ts'
import { holdCompany } from './query-client.ts'
import { BEGIN, pipeline } from './pipeline.ts'
import { withClient } from './pool.ts'

/**
 * Runs a task in a transaction of the company that the running code works for, and commits it. A connection on which
 * anything went wrong is not used again.
 */
export async function inTransaction<Result>(
  pool: Pool,
  task: (client: PoolClient) => Promise<Result>,
): Promise<Result> {
  return withClient(pool, async (client) => {
    const companyId = currentCompany()
    const first = companyId === null ? [BEGIN] : [BEGIN, holdCompany(companyId)]
    await pipeline(client, (pipe) => Promise.all(first.map((statement) => pipe.query(statement))))
    const result = await task(client)
    await client.query('commit')
    return result
  })
}
