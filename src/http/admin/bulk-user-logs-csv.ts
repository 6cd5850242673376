import { databaseTime } from '../../postgres/database-clock.ts'
import type { FastifyInstance, FastifySchema } from 'fastify'
import { listLogEntries, type LogEntry } from '../../../projections/bulk-user-logs/queries.ts'
import type { Reads } from '../../ledger/read/reads.ts'
import { userOf } from '../access/authorize-user.ts'
import { STREAMED_ROUTE } from '../access/heavy-reads.ts'
import type { Reader } from '../server/text-stream.ts'
import * as schemas from './bulk-user-logs-schemas.ts'
import type { RequireLogEntry } from './bulk-user-logs.ts'
import { formatFileTime, sendAttachment } from './attachment.ts'
import { allPages, CSV_ANSWER, CSV_TYPE, csvStream, type CsvColumn } from './csv-text.ts'
import { listDetailed, nameRecord, type DetailedRecord } from './detailed-records.ts'
import type { ShownRecord } from './log-records.ts'

const ENTRIES_PER_PAGE = 1_000

const DESCRIPTION =
  'The rows are streamed as they are read. A cell that a spreadsheet would treat as a formula (it starts with `=`, ' +
  '`+`, `-`, `@`, a tab or a carriage return) is prefixed with an apostrophe.'

const EXPORT_LOGS = {
  operationId: 'exportBulkUserLogs',
  summary: 'Export the entries of Bulk User Logs as CSV, newest first',
  description: DESCRIPTION,
  querystring: schemas.EntryExportQuery,
  response: CSV_ANSWER,
} as const satisfies FastifySchema

const EXPORT_RECORDS = {
  operationId: 'exportBulkUserLogRecords',
  summary: 'Export the records of an entry as CSV, in the order of the call',
  description: `${DESCRIPTION} Name, email and external id are the employee's current ones; a refused record without a known employee has those that were sent.`,
  params: schemas.LogParams,
  problems: ['log_not_found'],
  querystring: schemas.RecordExportQuery,
  response: CSV_ANSWER,
} as const satisfies FastifySchema

/** CSV exports of the list of entries and of an entry's records, with the filters of the JSON lists. */
export function bulkUserLogsCsv(
  app: FastifyInstance,
  { reads, authorize, requireLogEntry }: { reads: Reads; requireLogEntry: RequireLogEntry } & Pick<Reader, 'authorize'>,
): void {
  app.get('/bulk-user-logs.csv', { ...STREAMED_ROUTE, schema: EXPORT_LOGS }, async (request, reply) => {
    const { companyId } = userOf(request)
    const filter = schemas.readEntryFilter(request.query)
    const logs = await reads.of(companyId, request.left)
    const pages = allPages<LogEntry>(async (before) => {
      const { entries, next } = await listLogEntries(logs, companyId, filter, { before, limit: ENTRIES_PER_PAGE })
      return { rows: entries, next }
    })
    const fileName = `bulk-user-logs-${formatFileTime(databaseTime())}.csv`
    const csv = await csvStream({ request, reply, authorize }, ENTRY_COLUMNS, pages)
    return sendAttachment(reply, fileName, CSV_TYPE, csv)
  })

  app.get(
    '/bulk-user-logs/:log_id/records.csv',
    { ...STREAMED_ROUTE, schema: EXPORT_RECORDS },
    async (request, reply) => {
      const { companyId } = userOf(request)
      const filter = schemas.readRecordFilter(request.query)
      const db = await reads.of(companyId, request.left)
      const entry = await requireLogEntry(db, companyId, request.params.log_id)
      const rows = listDetailed(db, companyId, entry, filter)
      const { id, requested_at: at } = entry.entry
      const csv = await csvStream({ request, reply, authorize }, RECORD_COLUMNS, rows)
      return sendAttachment(reply, `bulk-user-logs-${formatFileTime(at)}-${id}.csv`, CSV_TYPE, csv)
    },
  )
}

const ENTRY_COLUMNS: readonly CsvColumn<LogEntry>[] = [
  ['id', ({ entry }) => entry.id],
  ['status', ({ entry }) => entry.status],
  ['name', ({ entry }) => entry.name],
  ['requested_at', ({ entry }) => entry.requested_at],
  ['operation', ({ entry }) => entry.operation],
  ['total', ({ entry }) => entry.counts.total],
  ['updated', ({ entry }) => entry.counts.updated],
  ['deactivated', ({ entry }) => entry.counts.deactivated],
  ['failed', ({ entry }) => entry.counts.failed],
  ['no_updates', ({ entry }) => entry.counts.no_updates],
  ['http_status', ({ entry }) => entry.http_status],
  ['duration_ms', ({ entry }) => entry.duration_ms],
  ['key_id', ({ entry }) => entry.key?.id ?? null],
  ['key_name', ({ entry }) => entry.key?.name ?? null],
  ['request_id', ({ entry }) => entry.request_id],
  ['error_code', ({ entry }) => entry.error?.code ?? null],
  ['error_detail', ({ entry }) => entry.error?.detail ?? null],
  ['user_id', ({ entry }) => entry.user?.id ?? null],
  ['user_name', ({ entry }) => entry.user?.name ?? null],
  ['file_name', ({ entry }) => entry.file?.name ?? null],
  ['corrects', ({ entry }) => entry.corrects.join(' ')],
  ['first_row', ({ entry }) => entry.file?.part?.first_row ?? null],
  ['last_row', ({ entry }) => entry.file?.part?.last_row ?? null],
]

const RECORD_COLUMNS: readonly CsvColumn<DetailedRecord>[] = [
  ['index', ({ shown }) => shown.index],
  ['employee_id', ({ shown }) => (typeof shown.employee_id === 'string' ? shown.employee_id : null)],
  ['name', (record) => nameRecord(record).name],
  ['email', (record) => nameRecord(record).email],
  ['external_id', (record) => nameRecord(record).external_id],
  ['status', ({ outcome }) => outcome],
  ['attributes', ({ shown }) => formatList(shown.attributes, ([name, value]) => `${name}: ${JSON.stringify(value)}`)],
  [
    'changes',
    ({ shown }) =>
      formatList(shown.changes, ([name, { from, to }]) => `${name}: ${JSON.stringify(from)} → ${JSON.stringify(to)}`),
  ],
  ['record', ({ shown }) => formatRecord(shown)],
  ['truncated', ({ shown }) => (shown.truncated ? 'truncated' : null)],
  ['errors', ({ shown }) => shown.errors?.map(errorText).join('; ') ?? null],
  ['errors_omitted', ({ shown }) => shown.errors && shown.errors_omitted],
  ['erased', ({ shown }) => (shown.erased ? 'erased' : null)],
]

/** Renders a record as JSON. A truncated record already is the start of its JSON. */
function formatRecord({ record, truncated }: ShownRecord): string | null {
  if (record === null) return null
  return truncated ? (record as string) : JSON.stringify(record)
}

/** Renders named values as one readable cell. */
function formatList<Value>(
  values: Record<string, Value> | null,
  text: (value: [string, Value]) => string,
): string | null {
  return values && Object.entries(values).map(text).join('; ')
}

function errorText({ pointer, code, message }: NonNullable<ShownRecord['errors']>[number]): string {
  return `${pointer === '' ? code : `${pointer} ${code}`}: ${message}`
}
