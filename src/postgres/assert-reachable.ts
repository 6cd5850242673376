import { faultReason } from './fault-reason.ts'
import { openPool } from './pool.ts'
import { StartupError } from './startup-error.ts'

/** Throws StartupError if the database of DATABASE_URL does not answer. */
export async function assertReachable(url: string): Promise<void> {
  const pool = openPool({ url, name: 'employee-ledger', max: 1 })
  try {
    await pool.query('select 1')
  } catch (error) {
    throw new StartupError(`the database of DATABASE_URL cannot be used: ${faultReason(error)}`, { cause: error })
  } finally {
    await pool.end()
  }
}
