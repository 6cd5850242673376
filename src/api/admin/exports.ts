import type { FastifyInstance, FastifySchema } from 'fastify'
import { Type } from '@sinclair/typebox'
import type { EntryFilter, LogEntry } from '#projections/bulk-user-logs/queries'
import type { RecordFilter } from '#projections/bulk-user-logs/records-queries'
import type { Reads } from '#ledger/read/reads'
import type { LedgerDb } from '#ledger/tables'
import { databaseTime } from '#postgres/database-clock'
import { userOf } from '#http/access/authorize-user'
import { STREAMED_ROUTE } from '#http/access/heavy-reads'
import { streamTexts, type Reader, formatFileTime, sendAttachment } from '#http/server/text-stream'
import {
  ENTRY_COLUMNS,
  listAllEntries,
  RECORD_COLUMNS,
  writeAllFailedRecords,
  writeFile,
} from '#log/bulk-user-logs-csv'
import * as schemas from '#log/bulk-user-logs-schemas'
import type { RequireLogEntry } from '#log/log-entries'
import { CSV_ANSWER, CSV_TYPE, writeCsv } from '#log/csv-text'
import { listDetailed } from '#log/refused-records'
import { listRecordsToCorrect } from '#log/faulty-fields'
import { readCompany } from '#accounts/companies/companies'
import { PeopleQuery, readPeopleFilter, listAllPeople, PEOPLE_COLUMNS } from '#people/people-filter'
import { WORKBOOK_TYPE, writeWorkbook } from '#people/write-workbook'

interface ExportServices extends Pick<Reader, 'authorize'> {
  reads: Reads
  requireLogEntry: RequireLogEntry
}

/** What an export says, and how it is written. */
interface Export<Of extends unknown[]> extends FastifySchema {
  path: string
  querystring?: typeof schemas.RecordExportQuery
  /** The beginning of the name of the file. */
  name: string
  write(db: LedgerDb, companyId: string, ...of: Of): AsyncIterable<string>
}

const STREAMED =
  'The rows are streamed as they are read. A cell that a spreadsheet would treat as a formula (it starts with `=`, ' +
  '`+`, `-`, `@`, a tab or a carriage return) is prefixed with an apostrophe.'
const TO_CORRECT =
  'A file to correct in a spreadsheet. Each record is a row, with the log id, its index in the call, and its errors. ' +
  'Each attribute and custom attribute that occurs has a column. An empty cell is an absent attribute, and `(empty)` ' +
  'is null. A text that a spreadsheet would change, such as a formula, a date, a number, or a phone number, has an ' +
  'apostrophe in front. Other values follow `(json) ` as JSON. The column `record` holds records that cannot be ' +
  'columns. Records that are erased are left out. A failed call applied nothing: without `q` and `error`, its valid ' +
  'records follow, for as long as the service keeps them. A call with `all_or_none=false` applied the others.'

const OF_ENTRIES: readonly Export<[EntryFilter]>[] = [
  {
    path: '/bulk-user-logs.csv',
    operationId: 'exportBulkUserLogs',
    summary: 'Export the entries of Bulk User Logs as CSV, newest first',
    description: STREAMED,
    name: 'bulk-user-logs',
    write: (db, companyId, filter) => writeCsv(ENTRY_COLUMNS, listAllEntries(db, companyId, filter)),
  },
  {
    path: '/bulk-user-logs/failed-records.csv',
    operationId: 'exportAllFailedRecordsAsCsv',
    summary: 'Export the refused records of all matching entries as one CSV file, one column for each attribute',
    description: TO_CORRECT,
    name: 'failed-records',
    write: writeAllFailedRecords,
  },
]

const OF_ENTRY: readonly Export<[LogEntry, RecordFilter]>[] = [
  {
    path: '/bulk-user-logs/:log_id/records.csv',
    operationId: 'exportBulkUserLogRecords',
    summary: 'Export the records of an entry as CSV, in the order of the call',
    description:
      `${STREAMED} Name, email and external id are the employee's current ones; a refused record without a known ` +
      'employee has those that were sent.',
    querystring: schemas.RecordExportQuery,
    name: 'bulk-user-logs',
    write: (db, companyId, entry, filter) => writeCsv(RECORD_COLUMNS, listDetailed(db, companyId, entry, filter)),
  },
  {
    path: '/bulk-user-logs/:log_id/failed-records.json',
    operationId: 'exportFailedRecords',
    summary: 'Export the refused records of an entry as the body of a new call',
    description:
      'Correct the records and send the file to `/v1/employees` with `POST` after a creation, `PATCH` after an ' +
      'update, or `PUT` after an upsert. The refused record of a single update gets the `id` of its path. Records ' +
      'that are erased, or that were too large to keep in full, are left out. A failed call applied nothing: the log ' +
      'keeps its valid records for a while, and without `q` and `error`, they follow. A call with ' +
      '`all_or_none=false` applied them already.',
    response: {
      200: Type.Object({ employees: Type.Array(Type.Unknown({ description: 'A refused record, as sent.' })) }),
    },
    name: 'failed-records',
    write: (db, companyId, entry, filter) => writeBody(listRecordsToCorrect(db, companyId, entry, filter)),
  },
  {
    path: '/bulk-user-logs/:log_id/failed-records.csv',
    operationId: 'exportFailedRecordsAsCsv',
    summary: 'Export the refused records of an entry as CSV, one column for each attribute',
    description: TO_CORRECT,
    name: 'failed-records',
    write: (db, companyId, entry, filter) => writeFile(() => listRecordsToCorrect(db, companyId, entry, filter)),
  },
]

/** Exports the list of entries and the records of an entry as files to download, with the filters of the JSON lists. */
export function logExports(app: FastifyInstance, { reads, authorize, requireLogEntry }: ExportServices) {
  for (const { path, name, write, ...about } of OF_ENTRIES) {
    const schema = { ...about, querystring: schemas.EntryExportQuery, response: CSV_ANSWER }
    app.get(path, { ...STREAMED_ROUTE, schema }, async (request, reply) => {
      const { companyId } = userOf(request)
      const filter = schemas.readEntryFilter(request.query)
      const db = await reads.of(companyId, request.left)
      const fileName = `${name}-${formatFileTime(databaseTime())}.csv`
      const file = await streamTexts({ request, reply, authorize }, write(db, companyId, filter))
      return sendAttachment(reply, fileName, CSV_TYPE, file)
    })
  }

  for (const { path, name, write, ...about } of OF_ENTRY) {
    const ofEntry = { params: schemas.LogParams, problems: ['log_not_found'] } as const
    const schema = { querystring: schemas.FailedRecordsQuery, response: CSV_ANSWER, ...about, ...ofEntry }
    const [extension, type] = path.endsWith('.json') ? ['json', 'application/json'] : ['csv', CSV_TYPE]
    app.get(path, { ...STREAMED_ROUTE, schema }, async (request, reply) => {
      const { companyId } = userOf(request)
      const filter = schemas.readRecordFilter(request.query)
      const db = await reads.of(companyId, request.left)
      const entry = await requireLogEntry(db, companyId, request.params.log_id)
      const { id, requested_at: at } = entry.entry
      const file = await streamTexts({ request, reply, authorize }, write(db, companyId, entry, filter))
      return sendAttachment(reply, `${name}-${formatFileTime(at)}-${id}.${extension}`, type, file)
    })
  }
}

/** Writes refused records in the form of a bulk call: a record per line, so that people can edit the file. */
async function* writeBody(pages: ReturnType<typeof listRecordsToCorrect>): AsyncGenerator<string> {
  let before = '{"employees":[\n'
  for await (const page of pages) {
    const records = page.filter(({ truncated }) => !truncated).map(({ record }) => JSON.stringify(record))
    if (records.length === 0) continue
    yield before + records.join(',\n')
    before = ',\n'
  }
  yield before === ',\n' ? '\n]}\n' : '{"employees":[]}\n'
}

const FORMATS = {
  csv: {
    operationId: 'exportEmployees',
    summary: 'Export the employees as CSV',
    type: CSV_TYPE,
    response: CSV_ANSWER,
    write: (people: ReturnType<typeof listAllPeople>) => writeCsv(PEOPLE_COLUMNS, people),
  },
  xlsx: {
    operationId: 'exportEmployeesAsWorkbook',
    summary: 'Export the employees as a workbook, whose cells are all texts',
    type: WORKBOOK_TYPE,
    response: {
      200: {
        description: 'A workbook (.xlsx) of one sheet.',
        content: { [WORKBOOK_TYPE]: { schema: Type.String({ format: 'binary' }) } },
      },
    },
    write: (people: ReturnType<typeof listAllPeople>) => writeWorkbook('Employees', PEOPLE_COLUMNS, people),
  },
} as const

/** `GET /admin/v1/employees.csv` and `.xlsx`: the list of people as a file to download. */
export function employeeExports(
  app: FastifyInstance,
  { reads, authorize }: Pick<ExportServices, 'reads' | 'authorize'>,
) {
  for (const [extension, { type, write, ...about }] of Object.entries(FORMATS)) {
    const schema = {
      ...about,
      description:
        'One column for each attribute, custom attributes as JSON in one. Rows are streamed as they are read.',
      querystring: PeopleQuery,
    }
    app.get(`/employees.${extension}`, { ...STREAMED_ROUTE, schema }, async (request, reply) => {
      const { order, ...query } = request.query
      const { companyId } = userOf(request)
      const db = await reads.of(companyId, request.left)
      const { timeZone } = await readCompany(db, companyId)
      const people = listAllPeople(db, companyId, readPeopleFilter(query, timeZone), order)
      const file = await streamTexts({ request, reply, authorize }, write(people))
      return sendAttachment(reply, `employees-${formatFileTime(databaseTime())}.${extension}`, type, file)
    })
  }
}
