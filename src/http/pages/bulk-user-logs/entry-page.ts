import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { html } from 'hono/html'
import type { LogEntry } from '../../../../projections/bulk-user-logs/queries.ts'
import type { LogRecord, RecordFilter } from '../../../../projections/bulk-user-logs/records-queries.ts'
import {
  findLogRecord,
  listLogRecords,
  listLogRecordsBefore,
} from '../../../../projections/bulk-user-logs/records-queries.ts'
import { findEmployees } from '../../../../projections/employees/queries.ts'
import { problem } from '../../../domain/errors.ts'
import { isId } from '../../../domain/ids.ts'
import type { Reads } from '../../../ledger/read/reads.ts'
import type { LedgerDb } from '../../../ledger/tables.ts'
import { readRecordFilter, RecordExportQuery } from '../../admin/bulk-user-logs-schemas.ts'
import { requireLogEntry } from '../../admin/bulk-user-logs.ts'
import { renderRecords } from '../../admin/log-records.ts'
import { decodeCursor, encodeCursor } from '../../server/cursor.ts'
import { whenGiven } from '../../access/heavy-reads.ts'
import { ProblemError } from '../../server/problem.ts'
import { buildUrl } from '../parts/addresses.ts'
import { buildEntryUrl, renderEntrySummary } from './entry.ts'
import type { PageRecord } from './records.ts'
import { joinRecords, renderRecord } from './records.ts'
import {
  listOptions,
  toFormProblem,
  checkForm,
  renderChoice,
  renderField,
  readFormFields,
  type FormFields,
  type FormProblem,
} from '../parts/form.ts'
import { sendUserPage, renderBreadcrumb } from '../parts/layout.ts'
import { renderPageLinks } from '../parts/list-pages.ts'
import { NAVIGATION } from '../parts/navigation.ts'
import type { Html } from '../parts/page.ts'
import { getViewer } from '../parts/viewer.ts'

const PAGE_SIZES = ['50', '100', '200']
const OUTCOMES = ['Synced', 'No Updates', 'Reactivated', 'Deactivated', 'Created', 'Failed']

type EntryRequest = FastifyRequest<{ Params: { log_id: string }; Querystring: unknown }>

/** `/settings/bulk-user-logs/{log_id}`: an entry with its records, and a page for each record. */
export function addEntryPages(app: FastifyInstance, reads: Reads, path: string): void {
  app.get<{ Params: { log_id: string } }>(
    `${path}/:log_id`,
    { config: { isHeavyRead: whenGiven('q') } },
    async (request, reply) => sendEntry(reads, request, reply),
  )
  app.get<{ Params: { log_id: string; index: string } }>(`${path}/:log_id/records/:index`, async (request, reply) => {
    const { log_id: id, index } = request.params
    const { companyId } = getViewer(request)
    const db = await reads.of(companyId)
    const entry = await requireLogEntry(db, companyId, id)
    const row = /^\d{1,9}$/.test(index) ? await findLogRecord(db, companyId, entry, Number(index)) : null
    if (!row) throw new ProblemError(problem('route_not_found', 'This entry has no such record'))
    const [record] = await readDetails(db, companyId, entry, [row])
    const body = html`${renderBreadcrumb(NAVIGATION.bulkUserLogs, [{ label: 'Entry', path: buildEntryUrl(entry) }])}
      <h1>Record ${index}</h1>
      <ol class="records">
        ${renderRecord(entry, record!, 2)}
      </ol>
      <h2>Call</h2>
      ${renderEntrySummary(entry, getViewer(request).timeZone)}`
    return sendUserPage(request, reply, getViewer(request), { title: `Record ${index}`, body })
  })
}

async function sendEntry(reads: Reads, request: EntryRequest, reply: FastifyReply): Promise<FastifyReply> {
  const viewer = getViewer(request)
  const db = await reads.of(viewer.companyId)
  const entry = await requireLogEntry(db, viewer.companyId, request.params.log_id)
  const query = readRecordQuery(request.query)
  const page = query.filter && (await readRecordPage(db, viewer.companyId, entry, query.filter, query))
  const body = html`${renderBreadcrumb(NAVIGATION.bulkUserLogs)}
    <h1>${entry.entry.status} call</h1>
    ${renderEntrySummary(entry, viewer.timeZone)}
    <h2 id="records">Records</h2>
    <p class="hint">Records are numbered from 0, as in API responses. Names and emails shown are current.</p>
    ${renderRecordFilter(entry, query)} ${page ? renderRecordList(entry, query, page) : ''}`
  return sendUserPage(request, query.filter ? reply : reply.code(400), viewer, {
    title: `${entry.entry.status} call`,
    body,
  })
}

interface RecordQuery {
  given: FormFields
  /** Null when the query is not valid. */
  filter: RecordFilter | null
  problem: FormProblem
  limit: number
  cursor: string | undefined
  before: string | undefined
}

function readRecordQuery(query: unknown): RecordQuery {
  const { status = '', q = '', limit = '', cursor, before } = readFormFields(query)
  const size = PAGE_SIZES.includes(limit) ? limit : PAGE_SIZES[0]!
  const given = { status, q: q.trim(), limit: size === PAGE_SIZES[0] ? '' : size }
  const place = { limit: Number(size), cursor, before }
  try {
    const set = Object.fromEntries(Object.entries({ status, q: q.trim() }).filter(([, text]) => text !== ''))
    return { given, filter: readRecordFilter(checkForm(RecordExportQuery, set)), problem: null, ...place }
  } catch (error) {
    return { given, filter: null, problem: toFormProblem(error), ...place }
  }
}

interface RecordPage {
  records: PageRecord[]
  hasPrevious: boolean
  hasNext: boolean
}

async function readRecordPage(
  db: LedgerDb,
  companyId: string,
  entry: LogEntry,
  filter: RecordFilter,
  { limit, cursor, before }: RecordQuery,
): Promise<RecordPage> {
  // One extra row tells whether there is another page.
  const found =
    before === undefined
      ? await listLogRecords(db, companyId, entry, filter, {
          after: cursor === undefined ? -1 : decodeCursor(cursor),
          limit: limit + 1,
        })
      : await listLogRecordsBefore(db, companyId, entry, filter, { before: decodeCursor(before), limit: limit + 1 })
  const hasMore = found.length > limit
  const rows = before === undefined ? found.slice(0, limit) : found.slice(-limit)
  const records = await readDetails(db, companyId, entry, rows)
  return before === undefined
    ? { records, hasPrevious: cursor !== undefined, hasNext: hasMore }
    : { records, hasPrevious: hasMore, hasNext: true }
}

async function readDetails(db: LedgerDb, companyId: string, entry: LogEntry, rows: LogRecord[]): Promise<PageRecord[]> {
  const shown = await renderRecords(db, companyId, rows)
  const ids = shown.map(({ employee_id: id }) => id).filter((id): id is string => isId('emp', id))
  return joinRecords(entry, rows, shown, await findEmployees(db, companyId, [...new Set(ids)]))
}

function renderRecordFilter(entry: LogEntry, { given, filter, problem }: RecordQuery): Html {
  const csv = buildUrl(`/admin/v1/bulk-user-logs/${entry.entry.id}/records.csv`, { ...filter })
  const outcomes = Object.fromEntries(OUTCOMES.map((word) => [word, word]))
  const sizes = PAGE_SIZES.map((size, at) => ({ value: at === 0 ? '' : size, label: size }))
  const isFiltered = given['status'] !== '' || given['q'] !== ''
  return html`<form method="get" action="${buildEntryUrl(entry)}#records" class="filters" aria-label="Record filters">
    ${renderChoice({ name: 'status', label: 'Status', value: given['status']!, options: listOptions(outcomes) }, problem)}
    ${renderField({ name: 'q', label: 'Search', value: given['q']!, isRequired: false, maxLength: 254, hint: 'Part of a name, email or number' }, problem)}
    ${renderChoice({ name: 'limit', label: 'Records per page', value: given['limit']!, options: sizes }, problem)}
    <div class="actions">
      <button class="primary">Filter</button>
      ${isFiltered ? html`<a class="button" href="${buildEntryUrl(entry)}#records">Clear filters</a>` : ''}
      <a class="button" href="${csv}" download>Download as CSV</a>
    </div>
  </form>`
}

function renderRecordList(
  entry: LogEntry,
  { given }: RecordQuery,
  { records, hasPrevious, hasNext }: RecordPage,
): Html {
  const place = (name: string, record: PageRecord | undefined) =>
    `${buildUrl(buildEntryUrl(entry), { ...given, [name]: record && encodeCursor(record.row.index ?? 0) })}#records`
  return html`${records.length === 0 ? html`<p class="empty">No matching records. <a href="${buildEntryUrl(entry)}#records">Clear the filters</a> to see all records.</p>` : ''}
    <ol class="records">
      ${records.map((record) => renderRecord(entry, record, 3))}
    </ol>
    ${renderPageLinks([
      { label: 'Previous', rel: 'prev', href: hasPrevious && records.length > 0 ? place('before', records[0]) : null },
      { label: 'Next', rel: 'next', href: hasNext && records.length > 0 ? place('cursor', records.at(-1)) : null },
    ])}`
}
