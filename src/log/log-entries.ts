import type { FastifyBaseLogger } from 'fastify'
import type { EntryCount, EntryFilter, LogEntry } from '#projections/bulk-user-logs/queries'
import { BULK_USER_LOGS, countLogEntries, findLogEntry } from '#projections/bulk-user-logs/queries'
import { isId } from '#domain/ids'
import { createPositionWaits } from '#http/live/position-waits'
import { ProblemError } from '#http/server/problem'
import { findCalls, NO_SUCH_ENTRY } from '#ledger/corrections/corrections'
import { readInTime, type Reads } from '#ledger/read/reads'
import type { LedgerDb } from '#ledger/tables'

/** What a correction needs to know of the call of an entry. */
export function toFoundCall({ entry: { id, status, counts } }: LogEntry) {
  const { total, failed } = counts
  return { id, total, unapplied: status === 'Failed' ? total : failed }
}

/** Counts the entries that match, up to a position; null if that takes too long. */
export async function countInTime(
  reads: Reads,
  companyId: string,
  filter: EntryFilter,
  upTo: number | null,
): Promise<EntryCount | null> {
  return readInTime(reads, companyId, (db) => countLogEntries(db, companyId, filter, upTo))
}

/**
 * Finds an entry of Bulk User Logs. If the ledger has its call and the log does not yet, waits for the log, for 10 s at
 * most. Throws a ProblemError with `log_not_found`, also for an entry of another company, or with `unavailable`.
 */
export type RequireLogEntry = (logs: LedgerDb, companyId: string, id: string) => Promise<LogEntry>

interface EntryServices {
  /** For watching the log on connections that no long read takes. */
  access: LedgerDb
  companiesTogether?: number | undefined
  log: FastifyBaseLogger
}

/** Lets requests find entries, and wait for those that the log does not have yet. */
export function createLogEntries({ access, companiesTogether, log }: EntryServices): RequireLogEntry {
  const onError = (error: unknown) => log.debug({ err: error }, 'Bulk User Logs could not be watched')
  const waitForPosition = createPositionWaits(access, BULK_USER_LOGS, onError, { companiesTogether })
  return async (logs, companyId, id) => {
    if (!isId('log', id)) throw new ProblemError(NO_SUCH_ENTRY)
    const found = await findLogEntry(logs, companyId, id)
    if (found) return found
    const [call] = await findCalls(logs, companyId, [id])
    if (!call) throw new ProblemError(NO_SUCH_ENTRY)
    await waitForPosition(companyId, call.position)
    const entry = await findLogEntry(logs, companyId, id)
    if (!entry) throw new Error(`the log has reached position ${call.position}, but has no entry of ${id}`)
    return entry
  }
}
