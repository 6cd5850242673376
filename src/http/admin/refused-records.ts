import type { LogEntry } from '../../../projections/bulk-user-logs/queries.ts'
import type { RecordFilter } from '../../../projections/bulk-user-logs/records-queries.ts'
import { isObject } from '../../domain/json-object.ts'
import type { LedgerDb } from '../../ledger/tables.ts'
import { listDetailed } from './detailed-records.ts'
import type { ShownRecord } from './log-records.ts'

/** A refused record of an entry, unchanged; that of a single update also has the `id` of its path. */
export interface RefusedRecord extends Pick<ShownRecord, 'record' | 'truncated' | 'errors_omitted'> {
  logId: string
  index: number | null
  /** The pointers lead into the record. */
  errors: RecordErrors
}

type RecordErrors = NonNullable<ShownRecord['errors']>

/** Reads the matching refused records of an entry that are not erased, in the order of the call. */
export async function* listRefusedRecords(
  db: LedgerDb,
  companyId: string,
  entry: LogEntry,
  filter: RecordFilter,
): AsyncGenerator<RefusedRecord[]> {
  const { id: logId, operation } = entry.entry
  for await (const page of listDetailed(db, companyId, entry, { ...filter, status: 'Failed' })) {
    yield page.flatMap(({ shown: { employee_id: id, record, index, truncated, errors, errors_omitted } }) => {
      if (record === null) return []
      const isOne = operation === 'update_one' && isObject(record)
      return {
        ...{ logId, index, truncated, errors_omitted },
        record: isOne ? { ...record, id } : record,
        errors: makePointersRelative(record, index, errors ?? []),
      }
    })
  }
}

/** Makes the API's pointers, which lead into the body, relative to the record. A body holds records in three ways. */
export function makePointersRelative(sent: unknown, index: number | null, errors: RecordErrors): RecordErrors {
  if (sent === null || index === null) return errors
  const prefix = [`/employees/${index}`, `/${index}`].find((start) =>
    errors.every(({ pointer }) => `${pointer}/`.startsWith(`${start}/`)),
  )
  return prefix === undefined
    ? errors
    : errors.map((error) => ({ ...error, pointer: error.pointer.slice(prefix.length) }))
}

/** Formats the place of an error in a record as the log writes attributes: `custom_attributes.grade`. */
export function formatField(pointer: string): string {
  const names = pointer.split('/').slice(1)
  return names.map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~')).join('.')
}
