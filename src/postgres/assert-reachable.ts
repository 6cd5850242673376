import { errorReason } from './error-reason.ts'
import { assertOwnSessions } from './pooler.ts'
import { StartupError } from './startup-error.ts'

/** Throws StartupError if the database of DATABASE_URL does not answer, or its sessions are shared. */
export async function assertReachable(url: string): Promise<void> {
  try {
    await assertOwnSessions(url, 'DATABASE_URL')
  } catch (error) {
    if (error instanceof StartupError) throw error
    throw new StartupError(`the database of DATABASE_URL cannot be used: ${errorReason(error)}`, { cause: error })
  }
}
