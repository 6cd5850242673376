import type { Kysely } from 'kysely'
import { faultReason } from './fault-reason.ts'
import { isCurrent } from './migrate.ts'
import { StartupError } from './startup-error.ts'

/** Throws StartupError when the database lacks what this program needs of it. */
export async function assertCurrent(db: Kysely<unknown>, queues: string[]): Promise<void> {
  const made = await isCurrent(db, queues).catch((error: unknown) => {
    throw new StartupError(`the database cannot be used: ${faultReason(error)}`, { cause: error })
  })
  if (!made) throw new StartupError('the database is not set up for this version: run `npm run --silent cli -- migrate`')
}
