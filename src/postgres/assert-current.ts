import { errorReason } from './error-reason.ts'
import { StartupError } from './startup-error.ts'

/** Throws StartupError if the database does not answer or lacks something that this program needs. */
export async function assertCurrent(isSetUp: () => Promise<boolean>): Promise<void> {
  const isReady = await isSetUp().catch((error: unknown) => {
    throw new StartupError(`the database cannot be used: ${errorReason(error)}`, { cause: error })
  })
  if (!isReady)
    throw new StartupError('the database is not set up for this version: run `npm run --silent cli -- migrate`')
}
