import { faultReason } from './fault-reason.ts'
import { StartupError } from './startup-error.ts'

/** Throws what the user is to read when the database lacks something that this program needs, or does not answer. */
export async function assertCurrent(isSetUp: () => Promise<boolean>): Promise<void> {
  const made = await isSetUp().catch((error: unknown) => {
    throw new StartupError(`the database cannot be used: ${faultReason(error)}`, { cause: error })
  })
  if (!made)
    throw new StartupError('the database is not set up for this version: run `npm run --silent cli -- migrate`')
}
