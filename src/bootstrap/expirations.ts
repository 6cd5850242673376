import type { Config } from '../config.ts'
import { deleteOldFailedCalls, deleteOldBodies } from '#ledger/append/failed-calls'
import { expireFiles } from '#ledger/evidence/stored-files'
import { forgetTurnedAway } from '#accounts/api-keys/turned-away-calls'
import { deleteOldEmails, endOverdueEmails } from '#accounts/mail/outbox'
import { expireDeliveries } from '#delivery/webhooks/deliveries'
import { expireFailingWork } from '#ledger/background/failing-work'
import { expireUploads } from '#ledger/uploads/erase-rows'
import { expireLogoutTokens } from '#accounts/sign-in/sign-in-through-provider'
import { expireSessions } from '#accounts/users/sessions'
import { forgetOldSignIns } from '#accounts/users/sign-in-records'
import type { Pool } from 'pg'

/** Valid records are kept no longer than the refused ones of their call. */
function getFailedCallsKeptDays(config: Config): number {
  const { FAILED_CALLS_KEPT_DAYS: days, REJECTED_RECORDS_KEPT_DAYS: others } = config
  return others === 0 ? days : Math.min(days, others)
}

/** Lists what deletes the rows that are kept for a time. */
export function listExpirations(pool: Pool, config: Config): (() => Promise<unknown>)[] {
  return [
    () => deleteOldBodies(pool, config.REJECTED_RECORDS_KEPT_DAYS),
    () => deleteOldFailedCalls(pool, getFailedCallsKeptDays(config)),
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
