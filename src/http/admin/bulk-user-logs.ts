import type { FastifyInstance, FastifySchema } from 'fastify'
import type { LedgerDb } from '../../ledger/tables.ts'
import type { Static } from '@sinclair/typebox'
import type { EntryCount, EntryFilter, LogEntry } from '../../../projections/bulk-user-logs/queries.ts'
import { countLogEntries, findLogEntry, listLogEntries } from '../../../projections/bulk-user-logs/queries.ts'
import { listLogRecords } from '../../../projections/bulk-user-logs/records-queries.ts'
import { findCorrections } from '../../../projections/bulk-user-logs/uploads.ts'
import { problem } from '../../domain/errors.ts'
import { isId } from '../../domain/ids.ts'
import { readClientOf } from '../../ledger/read/read-clients.ts'
import { readRejectedBody } from '../../ledger/read/read-rejected-body.ts'
import { readInTime, type Reads } from '../../ledger/read/reads.ts'
import { userOf } from '../access/authorize-user.ts'
import { decodeCursor, encodeCursor, pageOf } from '../server/cursor.ts'
import { whenGiven } from '../access/heavy-reads.ts'
import { NoQuery } from '../openapi/schema-parts.ts'
import { ProblemError } from '../server/problem.ts'
import * as schemas from './bulk-user-logs-schemas.ts'
import { renderRecords } from './log-records.ts'

const TAGS = ['Admin']

const LIST: FastifySchema = {
  operationId: 'listBulkUserLogs',
  summary: 'List the entries of Bulk User Logs, newest first',
  description:
    'With `employee` or `q`, an answer may end before the page is full, and may even have no items, although ' +
    '`next_cursor` is set: the search has then read as many records as it may, and continues with the next page.',
  tags: TAGS,
  querystring: schemas.EntryListQuery,
  response: { 200: schemas.EntryList },
}

const GET: FastifySchema = {
  operationId: 'getBulkUserLog',
  summary: 'Get one entry of Bulk User Logs',
  description: 'An entry is there a moment after its call was answered.',
  tags: TAGS,
  params: schemas.LogParams,
  problems: ['log_not_found'],
  querystring: NoQuery,
  response: { 200: schemas.EntrySchema },
}

const RECORDS: FastifySchema = {
  operationId: 'listBulkUserLogRecords',
  summary: 'List the records of an entry, in the order of the call',
  description: 'What each record set or changed, with old and new values, or why it was refused.',
  tags: TAGS,
  params: schemas.LogParams,
  problems: ['log_not_found'],
  querystring: schemas.RecordListQuery,
  response: { 200: schemas.listOf(schemas.RecordSchema) },
}

type LogParams = Static<typeof schemas.LogParams>

/** Bulk User Logs for administrators: the list, an entry, and the records of an entry. */
export function bulkUserLogs(app: FastifyInstance, reads: Reads): void {
  app.get<{ Querystring: Static<typeof schemas.EntryListQuery> }>(
    '/bulk-user-logs',
    { schema: LIST, config: { isHeavyRead: whenGiven('q', 'employee') } },
    async (request) => {
      const { limit, cursor, count: isCounted = false, ...filterQuery } = request.query
      const { companyId } = userOf(request)
      const before = cursor === undefined ? null : decodeCursor(cursor)
      const logs = await reads.of(companyId, request.left)
      const filter = schemas.readEntryFilter(filterQuery)
      const { entries, next } = await listLogEntries(logs, companyId, filter, { before, limit })
      const page = { items: entries.map(({ entry }) => entry), next_cursor: next === null ? null : encodeCursor(next) }
      if (!isCounted) return page
      const total = await countInTime(reads, companyId, filter, null)
      return { ...page, total: total && { count: total.count, is_more: total.isMore } }
    },
  )

  app.get<{ Params: LogParams }>('/bulk-user-logs/:log_id', { schema: GET }, async (request) => {
    const { companyId } = userOf(request)
    const logs = await reads.of(companyId, request.left)
    const logEntry = await requireLogEntry(logs, companyId, request.params.log_id)
    const client = await readClientOf(logs, companyId, logEntry.position)
    return {
      ...logEntry.entry,
      corrected_by: logEntry.entry.status === 'Failed' ? await findCorrections(logs, companyId, logEntry) : [],
      rejected_body: await readRejectedBody(logs, companyId, logEntry.position),
      client: client && { address: client.address, user_agent: client.userAgent },
    }
  })

  app.get<{ Params: LogParams; Querystring: Static<typeof schemas.RecordListQuery> }>(
    '/bulk-user-logs/:log_id/records',
    { schema: RECORDS, config: { isHeavyRead: whenGiven('q', 'error') } },
    async (request) => {
      const { limit, cursor, ...query } = request.query
      const { companyId } = userOf(request)
      const filter = schemas.readRecordFilter(query)
      const after = cursor === undefined ? -1 : decodeCursor(cursor)
      const logs = await reads.of(companyId, request.left)
      const entry = await requireLogEntry(logs, companyId, request.params.log_id)
      const records = await listLogRecords(logs, companyId, entry, filter, { after, limit: limit + 1 })
      const { items, next_cursor } = pageOf(records, limit, ({ index }) => index ?? 0)
      return { items: await renderRecords(logs, companyId, items), next_cursor }
    },
  )
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

/** Finds an entry. Throws `log_not_found`, also for an entry of another company. */
export async function requireLogEntry(logs: LedgerDb, companyId: string, id: string): Promise<LogEntry> {
  const entry = isId('log', id) ? await findLogEntry(logs, companyId, id) : null
  if (!entry) throw new ProblemError(problem('log_not_found', 'No such log entry exists'))
  return entry
}
