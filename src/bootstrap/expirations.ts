import type { Config } from '../config.ts'
import { deleteOldBodies } from '../ledger/append/rejected-bodies.ts'
import { expireFiles } from '../ledger/evidence/stored-files.ts'
import { forgetTurnedAway } from '../accounts/api-keys/turned-away-calls.ts'
import { deleteOldEmails, endOverdueEmails } from '../accounts/mail/outbox.ts'
import { expireDeliveries } from '../delivery/webhooks/expire-deliveries.ts'
import { expireFailingWork } from '../ledger/background/failing-work.ts'
import { expireUploads } from '../ledger/uploads/erase-rows.ts'
import { expireLogoutTokens } from '../accounts/sign-in/provider-sessions.ts'
import { expireSessions } from '../accounts/users/sessions.ts'
import { forgetOldSignIns } from '../accounts/users/sign-in-records.ts'
import type { Pool } from 'pg'

/** Lists what deletes the rows that are kept for a time. */
export function listExpirations(pool: Pool, config: Config): (() => Promise<unknown>)[] {
  return [
    () => deleteOldBodies(pool, config.REJECTED_RECORDS_KEPT_DAYS),
    () => forgetOldSignIns(pool, config.ADDRESSES_KEPT_DAYS),
    () => forgetTurnedAway(pool, config.ADDRESSES_KEPT_DAYS),
    () => expireUploads(pool),
    () => expireFailingWork(pool),
    () => expireSessions(pool),
    () => expireLogoutTokens(pool),
    () => expireFiles(pool),
    () => expireDeliveries(pool),
    // Also where nothing is sent any more.
    () => endOverdueEmails(pool),
    () => deleteOldEmails(pool),
  ]
}
