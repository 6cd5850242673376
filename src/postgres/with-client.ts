import type { PoolClient } from 'pg'

/** Runs a task on a connection of a pool. A connection on which anything went wrong is not used again. */
export async function withClient<Result>(
  pool: { connect(): Promise<PoolClient> },
  task: (client: PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect()
  try {
    const result = await task(client)
    client.release()
    return result
  } catch (error) {
    client.release(true)
    throw error
  }
}
