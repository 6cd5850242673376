import type { Pool, PoolClient } from 'pg'
import { createBudget, quarterOf } from '#admission/budget'
import { currentCompany } from '#postgres/company-scope'
import { LendingPool } from '#postgres/lending-pool'

/** Connections that may be waited for, a quarter of them by one company; and how long, in milliseconds. */
const MAX_WAITING = 4_000
const MAX_WAIT_MS = 10_000

/** Whoever the running code works for, if it is no company: all of them together are treated like one. */
const NOBODY = ''

/**
 * Shares the connections of a pool: a company uses a quarter of them at most, whatever its requests do. Further ones
 * wait in its line without a connection. Throws NoTurnError if one waits for 10 seconds, or if too many wait.
 */
export function shareConnections(pool: Pool): Pool {
  const budget = createBudget({ share: quarterOf(pool.options.max), maxWaiting: MAX_WAITING, maxWaitMs: MAX_WAIT_MS })
  async function connectInTurn(): Promise<PoolClient> {
    const giveBack = await budget.acquire(currentCompany() ?? NOBODY, 1)
    try {
      const client = await pool.connect()
      // The pool sets this whenever it lends the connection.
      const { release } = client
      client.release = (isBroken) => {
        release.call(client, isBroken)
        giveBack()
      }
      return client
    } catch (error) {
      giveBack()
      throw error
    }
  }
  return new LendingPool(pool.options, connectInTurn, () => [pool])
}
