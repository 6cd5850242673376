import { findLogEntry, listLogEntries, type LogEntry } from '#projections/bulk-user-logs/queries'
import { listLogRecords } from '#projections/bulk-user-logs/records-queries'
import { renderRecords, type ShownRecord } from '#log/log-records'
import { NO_SUCH_ENTRY } from '#ledger/corrections/corrections'
import { StartupError } from '#postgres/startup-error'
import type { CompanyOptions } from '../accounts/operator.ts'
import { withStore } from '../terminal/with-store.ts'

/** The refused records that `log show` shows. */
const MAX_RECORDS = 200

/** `log list`: lists entries of Bulk User Logs. */
export async function listEntries({
  company,
  status,
  limit,
}: CompanyOptions & { status?: LogEntry['entry']['status']; limit: number }) {
  const filter = status === undefined ? {} : { status }
  const { entries } = await withStore(({ store: { db } }) =>
    listLogEntries(db, company, filter, { before: null, limit }),
  )
  return entries.map(describe)
}

/** `log show`: shows an entry and its refused records. */
export async function showEntry({ company, log }: CompanyOptions & { log: string }) {
  return withStore(async ({ store: { db } }) => {
    const entry = await findLogEntry(db, company, log)
    if (!entry) throw new StartupError(NO_SUCH_ENTRY.detail)
    const refused = await listLogRecords(db, company, entry, { status: 'Failed' }, { after: -1, limit: MAX_RECORDS })
    const records: ShownRecord[] = []
    while (records.length < refused.length)
      for (const record of await renderRecords(db, company, refused.slice(records.length))) records.push(record)
    return { ...describe(entry), refused: records.map(({ index, record, errors }) => ({ index, record, errors })) }
  })
}

function describe({ entry }: LogEntry) {
  const { id, status, name, requested_at, operation, counts, http_status, key, user, error } = entry
  const by = key?.name ?? user?.name ?? null
  return { id, status, name, by, requested_at, operation, ...counts, http_status, error: error?.detail ?? null }
}
