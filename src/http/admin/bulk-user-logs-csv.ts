import type { FastifyInstance, FastifyReply, FastifySchema } from 'fastify'
import type { Readable } from 'node:stream'
import type { Static } from '@sinclair/typebox'
import { Type } from '@sinclair/typebox'
import type { LogEntry } from '../../../projections/bulk-user-logs/queries.ts'
import { listLogEntries } from '../../../projections/bulk-user-logs/queries.ts'
import type { LogRecord, RecordOutcome } from '../../../projections/bulk-user-logs/records-queries.ts'
import { listLogRecords, getRecordOutcome } from '../../../projections/bulk-user-logs/records-queries.ts'
import type { Reads } from '../../ledger/read/reads.ts'
import type { LedgerDb } from '../../ledger/tables.ts'
import { userOf } from '../access/authorize-user.ts'
import { ALWAYS } from '../access/heavy-reads.ts'
import type { Reader } from '../server/text-stream.ts'
import * as schemas from './bulk-user-logs-schemas.ts'
import { requireLogEntry } from './bulk-user-logs.ts'
import type { CsvColumn } from './csv-text.ts'
import { allPages, csvStream } from './csv-text.ts'
import type { ShownRecord } from './log-records.ts'
import { renderRecords } from './log-records.ts'

const ENTRIES_PER_PAGE = 1_000
const RECORDS_PER_PAGE = 1_000
/** The events of records may be as large as a body. */
const DETAILS_AT_ONCE = 100

const CSV_ANSWER = {
  200: {
    description: 'A CSV file (RFC 4180) in UTF-8 with a byte order mark and a header row.',
    content: { 'text/csv': { schema: Type.String() } },
  },
}

const DESCRIPTION =
  'The rows are streamed as they are read. A cell that a spreadsheet would treat as a formula (it starts with `=`, ' +
  '`+`, `-`, `@`, a tab or a carriage return) is prefixed with an apostrophe.'

const EXPORT_LOGS: FastifySchema = {
  operationId: 'exportBulkUserLogs',
  summary: 'Export the entries of Bulk User Logs as CSV, newest first',
  description: DESCRIPTION,
  tags: ['Admin'],
  querystring: schemas.EntryExportQuery,
  response: CSV_ANSWER,
}

const EXPORT_RECORDS: FastifySchema = {
  operationId: 'exportBulkUserLogRecords',
  summary: 'Export the records of an entry as CSV, in the order of the call',
  description: DESCRIPTION,
  tags: ['Admin'],
  params: schemas.LogParams,
  problems: ['log_not_found'],
  querystring: schemas.RecordExportQuery,
  response: CSV_ANSWER,
}

// HEAD would read everything that GET does, only to discard it.
const ROUTE = { exposeHeadRoute: false, config: { isHeavyRead: ALWAYS } }

/** CSV exports of the list of entries and of an entry's records, with the filters of the JSON lists. */
export function bulkUserLogsCsv(
  app: FastifyInstance,
  { reads, authorize }: { reads: Reads } & Pick<Reader, 'authorize'>,
): void {
  app.get<{ Querystring: Static<typeof schemas.EntryExportQuery> }>(
    '/bulk-user-logs.csv',
    { ...ROUTE, schema: EXPORT_LOGS },
    async (request, reply) => {
      const { companyId } = userOf(request)
      const filter = schemas.readEntryFilter(request.query)
      const logs = await reads.of(companyId)
      const pages = allPages<LogEntry>(async (before) => {
        const { entries, next } = await listLogEntries(logs, companyId, filter, { before, limit: ENTRIES_PER_PAGE })
        return { rows: entries, next }
      })
      return sendCsv(reply, 'bulk-user-logs.csv', await csvStream({ request, reply, authorize }, ENTRY_COLUMNS, pages))
    },
  )

  app.get<{ Params: Static<typeof schemas.LogParams>; Querystring: Static<typeof schemas.RecordExportQuery> }>(
    '/bulk-user-logs/:log_id/records.csv',
    { ...ROUTE, schema: EXPORT_RECORDS },
    async (request, reply) => {
      const { companyId } = userOf(request)
      const filter = schemas.readRecordFilter(request.query)
      const db = await reads.of(companyId)
      const entry = await requireLogEntry(db, companyId, request.params.log_id)
      const pages = allPages<LogRecord>(async (place) => {
        const page = { after: place ?? -1, limit: RECORDS_PER_PAGE }
        const rows = await listLogRecords(db, companyId, entry, filter, page)
        return { rows, next: rows.length < RECORDS_PER_PAGE ? null : rows.at(-1)!.index }
      })
      const rows = withDetails(db, companyId, entry, pages)
      return sendCsv(
        reply,
        `bulk-user-logs-${entry.entry.id}.csv`,
        await csvStream({ request, reply, authorize }, RECORD_COLUMNS, rows),
      )
    },
  )
}

function sendCsv(reply: FastifyReply, fileName: string, csv: Readable): FastifyReply {
  return reply
    .type('text/csv; charset=utf-8; header=present')
    .header('content-disposition', `attachment; filename="${fileName}"`)
    .send(csv)
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
  ['key_id', ({ entry }) => entry.key.id],
  ['key_name', ({ entry }) => entry.key.name],
  ['request_id', ({ entry }) => entry.request_id],
  ['error_code', ({ entry }) => entry.error?.code ?? null],
  ['error_detail', ({ entry }) => entry.error?.detail ?? null],
]

interface RecordRow {
  shown: ShownRecord
  outcome: RecordOutcome
}

const RECORD_COLUMNS: readonly CsvColumn<RecordRow>[] = [
  ['index', ({ shown }) => shown.index],
  ['employee_id', ({ shown }) => (typeof shown.employee_id === 'string' ? shown.employee_id : null)],
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

async function* withDetails(
  db: LedgerDb,
  companyId: string,
  entry: LogEntry,
  pages: AsyncIterable<LogRecord[]>,
): AsyncGenerator<RecordRow[]> {
  for await (const page of pages) {
    for (let from = 0; from < page.length; from += DETAILS_AT_ONCE) {
      const part = page.slice(from, from + DETAILS_AT_ONCE)
      const records = await renderRecords(db, companyId, part)
      yield records.map((record, at) => ({ shown: record, outcome: getRecordOutcome(entry, part[at]!) }))
    }
  }
}
