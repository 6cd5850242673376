import type { FastifyInstance, FastifySchema } from 'fastify'
import type { EntryFilter, LogEntry } from '../../../projections/bulk-user-logs/queries.ts'
import { listLogEntries, readNewestLogPosition } from '../../../projections/bulk-user-logs/queries.ts'
import { writeText } from '../../../clients/typescript/spreadsheets/cells.ts'
import {
  addColumns,
  orderColumns,
  ORIGIN_COLUMNS,
  RECORD_COLUMN,
  writeRecord,
} from '../../../clients/typescript/spreadsheets/record-columns.ts'
import { inTurns } from '../../admission/turns.ts'
import type { Reads } from '../../ledger/read/reads.ts'
import type { LedgerDb } from '../../ledger/tables.ts'
import { databaseTime } from '../../postgres/database-clock.ts'
import { userOf } from '../access/authorize-user.ts'
import { STREAMED_ROUTE } from '../access/heavy-reads.ts'
import { streamTexts, type Reader } from '../server/text-stream.ts'
import { formatFileTime, sendAttachment } from './attachment.ts'
import * as schemas from './bulk-user-logs-schemas.ts'
import type { RequireLogEntry } from './bulk-user-logs.ts'
import { CSV_ANSWER, CSV_TYPE, writeCsvHeader, writeCsvRows } from './csv-text.ts'
import { formatField, listRefusedRecords, type RefusedRecord } from './refused-records.ts'

const ENTRIES_AT_ONCE = 100

const DESCRIPTION =
  'A file to correct in a spreadsheet. Each record is a row, with the log id, its index in the call, and its errors. ' +
  'Each attribute and custom attribute that occurs has a column. An empty cell is an absent attribute, and `(empty)` is ' +
  'null. A text that a spreadsheet would change, such as a formula, a date, a number, or a phone number, has an ' +
  'apostrophe in front. Other values follow `(json) ` as JSON. The column `record` holds records that cannot be ' +
  'columns. Records that are erased are left out. A failed call applied nothing: the log does not keep its valid ' +
  'records. A call with `all_or_none=false` applied the others.'

const EXPORT_ENTRY = {
  operationId: 'exportFailedRecordsAsCsv',
  summary: 'Export the refused records of an entry as CSV, one column for each attribute',
  description: DESCRIPTION,
  params: schemas.LogParams,
  problems: ['log_not_found'],
  querystring: schemas.FailedRecordsQuery,
  response: CSV_ANSWER,
} as const satisfies FastifySchema

const EXPORT_ENTRIES = {
  operationId: 'exportAllFailedRecordsAsCsv',
  summary: 'Export the refused records of all matching entries as one CSV file, one column for each attribute',
  description: DESCRIPTION,
  querystring: schemas.EntryExportQuery,
  response: CSV_ANSWER,
} as const satisfies FastifySchema

/** The refused records of an entry, or of all entries that match a filter, as CSV that people can edit. */
export function failedRecordsCsv(
  app: FastifyInstance,
  { reads, authorize, requireLogEntry }: { reads: Reads; requireLogEntry: RequireLogEntry } & Pick<Reader, 'authorize'>,
): void {
  app.get(
    '/bulk-user-logs/:log_id/failed-records.csv',
    { ...STREAMED_ROUTE, schema: EXPORT_ENTRY },
    async (request, reply) => {
      const { companyId } = userOf(request)
      const filter = schemas.readRecordFilter(request.query)
      const db = await reads.of(companyId, request.left)
      const entry = await requireLogEntry(db, companyId, request.params.log_id)
      const texts = writeFile(() => listRefusedRecords(db, companyId, [entry], filter))
      const { id, requested_at: at } = entry.entry
      const csv = await streamTexts({ request, reply, authorize }, texts)
      return sendAttachment(reply, `failed-records-${formatFileTime(at)}-${id}.csv`, CSV_TYPE, csv)
    },
  )

  app.get(
    '/bulk-user-logs/failed-records.csv',
    { ...STREAMED_ROUTE, schema: EXPORT_ENTRIES },
    async (request, reply) => {
      const { companyId } = userOf(request)
      const filter = schemas.readEntryFilter(request.query)
      const db = await reads.of(companyId, request.left)
      const newest = await readNewestLogPosition(db, companyId)
      const texts = writeFile(() => listOfEntries(db, companyId, filter, newest + 1))
      const csv = await streamTexts({ request, reply, authorize }, texts)
      return sendAttachment(reply, `failed-records-${formatFileTime(databaseTime())}.csv`, CSV_TYPE, csv)
    },
  )
}

/** Reads the refused records of all matching entries before a position, newest entry first. */
async function* listOfEntries(
  db: LedgerDb,
  companyId: string,
  filter: EntryFilter,
  end: number,
): AsyncGenerator<RefusedRecord[]> {
  let before: number | null = end
  while (before !== null) {
    const page: { entries: LogEntry[]; next: number | null } = await listLogEntries(db, companyId, filter, {
      before,
      limit: ENTRIES_AT_ONCE,
      withRefused: true,
    })
    yield* listRefusedRecords(db, companyId, page.entries, {})
    before = page.next
  }
}

/**
 * Writes the file. Reads the records twice, first for their columns, so that memory holds a page of them at a time. Both
 * times they are the same, unless some were erased meanwhile.
 */
async function* writeFile(list: () => AsyncIterable<RefusedRecord[]>): AsyncGenerator<string> {
  const columns = new Set<string>()
  for await (const page of list()) {
    for await (const { record, truncated } of inTurns(page)) {
      if (truncated) columns.add(RECORD_COLUMN)
      else addColumns(columns, record)
    }
    // Lets the reader's rights be checked, although there is nothing to send yet.
    yield ''
  }
  const ordered = orderColumns(columns)
  yield writeCsvHeader([...ORIGIN_COLUMNS, ...ordered])
  function* rowsOf(page: readonly RefusedRecord[]): Generator<string[]> {
    for (const refused of page) yield writeRow(refused, columns, ordered)
  }
  for await (const page of list()) yield* writeCsvRows(rowsOf(page))
}

function writeRow(
  { logId, index, record, truncated, ...refused }: RefusedRecord,
  columns: ReadonlySet<string>,
  ordered: string[],
): string[] {
  const cells = truncated ? new Map([[RECORD_COLUMN, writeText(record as string)]]) : writeRecord(record, columns)
  return [logId, String(index ?? ''), writeText(formatErrors(refused)), ...ordered.map((name) => cells.get(name) ?? '')]
}

/** Formats the errors of a record, with their fields unless the messages name them. */
export function formatErrors({
  errors,
  errors_omitted: omitted,
}: Pick<RefusedRecord, 'errors' | 'errors_omitted'>): string {
  const texts = errors.map(({ pointer, message }) => {
    const field = formatField(pointer)
    return field === '' || message.startsWith(`${field} `) ? message : `${field}: ${message}`
  })
  return [...texts, ...(omitted === 0 ? [] : [`and ${omitted} more`])].join('; ')
}
