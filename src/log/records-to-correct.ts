import type { LogEntry } from '#projections/bulk-user-logs/queries'
import type { RecordFilter } from '#projections/bulk-user-logs/records-queries'
import { readValidRecords } from '#ledger/corrections/read-failed-call'
import type { LedgerDb } from '#ledger/tables'
import { listRefusedRecords, type RefusedRecord } from './refused-records.ts'

const RECORDS_AT_ONCE = 100

/**
 * Reads the refused records of an entry that match, and behind them, if all are asked for, the valid ones of a failed call
 * as far as they are kept: all that it takes to send the call again.
 */
export async function* listRecordsToCorrect(
  db: LedgerDb,
  companyId: string,
  entry: LogEntry,
  filter: RecordFilter,
): AsyncGenerator<RefusedRecord[]> {
  yield* listRefusedRecords(db, companyId, [entry], filter)
  if (filter.q !== undefined || filter.error !== undefined) return
  const valid = [...(await readValidRecords(db, companyId, entry.position))]
  for (let from = 0; from < valid.length; from += RECORDS_AT_ONCE)
    yield valid.slice(from, from + RECORDS_AT_ONCE).map(([index, record]) => {
      return { logId: entry.entry.id, index, record, truncated: false, errors: [], errors_omitted: 0 }
    })
}
