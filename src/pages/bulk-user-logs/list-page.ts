import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { EntryCount, EntryFilter, LogEntry } from '../../../projections/bulk-user-logs/queries.ts'
import {
  BULK_USER_LOGS,
  findLogEntry,
  listLogEntries,
  readLogTime,
  readNewestLogPosition,
} from '../../../projections/bulk-user-logs/queries.ts'
import { groupLogEntries } from '../../../projections/bulk-user-logs/group-queries.ts'
import { EMPLOYEES } from '../../../projections/employees/queries.ts'
import { listApiKeys } from '../../accounts/api-keys/read-api-keys.ts'
import { readCommonProgress } from '../../ledger/read/read-progress.ts'
import { readInTime, type Reads } from '../../ledger/read/reads.ts'
import type { LedgerDb } from '../../ledger/tables.ts'
import type { Problem } from '../../domain/errors.ts'
import { formatFullName } from '../../domain/employees/full-name.ts'
import { isId } from '../../domain/ids.ts'
import { decodeCursor } from '../../http/server/cursor.ts'
import { whenGiven } from '../../http/access/heavy-reads.ts'
import { countInTime } from '../../api/admin/bulk-user-logs.ts'
import { invalidQuery } from '../../http/server/query-values.ts'
import { html, type Html } from '../parts/html.ts'
import type { PageServices } from '../parts/page-services.ts'
import { buildEmployeeUrl, buildUrl, findBaseUrl } from '../parts/addresses.ts'
import { renderAllWell, renderAttention } from '../parts/attention.ts'
import { countFacets, type Facets } from './facets.ts'
import { addUploadPages } from '../uploads/upload-page.ts'
import { addEntryPages } from './entry-page.ts'
import { readPageFilter, type PageFilter } from './filter.ts'
import { renderFilterBar } from './filter-bar.ts'
import { readCallsChart } from './list-chart.ts'
import { buildEntryUrl } from './entry.ts'
import type { ListPage } from './list.ts'
import {
  LOGS_PATH,
  renderFirstCall,
  renderHead,
  renderLogPage,
  renderNoMatch,
  renderRowsFragment,
  ROWS_PATH,
} from './list.ts'
import { readFormFields, toFormProblem, type FormFields } from '../parts/form.ts'
import { findFormerPeople } from '../parts/former-people.ts'
import { sendUserPage } from '../parts/layout.ts'
import { sendFragment } from '../parts/page.ts'
import { getViewer, readAttentionOf } from '../parts/viewer.ts'

const PAGE_ENTRIES = 50
/** New entries in one response to the script; it asks again for more. */
const ROWS_AT_ONCE = 100
/** Keys in the filter's list; the address may name any other key by its id. */
const KEYS_SHOWN = 200

/** The most people that the page names because a former value found them. */
const MAX_FORMER = 5

/** Bulk User Logs: the list, its new rows for the script, the pages of an entry, and uploading a file. */
export function addBulkUserLogsPages(app: FastifyInstance, services: PageServices): void {
  const config = { isHeavyRead: whenGiven('q', 'employee') }
  app.get(LOGS_PATH, { config }, async (_, reply) => sendEntryList(services, reply))
  app.get(ROWS_PATH, { config }, async (_, reply) => sendRows(services, reply))
  addEntryPages(app, services, LOGS_PATH)
  void app.register((uploads) => addUploadPages(uploads, services))
}

async function sendEntryList(services: PageServices, reply: FastifyReply): Promise<FastifyReply> {
  const { request } = reply
  const { companyId, timeZone } = getViewer(request)
  const read = readPageFilter(request.query, timeZone)
  const { given } = read
  const fields = readFormFields(request.query)
  // A form also sends its empty fields; redirect to the shorter address, which people keep and share.
  if (Object.values(fields).includes('')) return reply.redirect(buildUrl(LOGS_PATH, given), 303)
  const keys = (await listApiKeys(services.db, companyId, { limit: KEYS_SHOWN })).map(({ key }) => key)
  const db = await services.reads.of(companyId, request.left)
  const send = async (body: Html) => sendUserPage(reply, getViewer(request), { title: 'Bulk User Logs', body })
  const renderBar = (pageFilter: PageFilter, chart: Html | null, facets: Facets | null) =>
    renderFilterBar(pageFilter, { keys, path: LOGS_PATH, timeZone, chart, facets })
  const place = readPagePosition(fields)
  const pageFilter = 'problem' in place ? { ...read, filter: null, problem: read.problem ?? place.problem } : read
  const { filter } = pageFilter
  if (!filter || 'problem' in place) {
    void reply.code(400)
    return send(html`${renderHead(html``)} ${renderBar(pageFilter, null, null)}`)
  }
  const entry = isId('log', filter.q) ? await findLogEntry(db, companyId, filter.q) : null
  if (entry) return reply.redirect(buildEntryUrl(entry), 303)
  const page = await readPage(db, companyId, filter, place)
  // Everything newer fits on the first page, which updates by itself.
  if (place.after !== null && page.newer === null) return reply.redirect(buildUrl(LOGS_PATH, given), 303)
  const facets = await readFacets(services.reads, companyId, filter, page)
  const count = facets?.count ?? (await countEntries(services.reads, companyId, filter, page))
  const isEmpty = page.entries.length === 0 && (await readNewestLogPosition(db, companyId)) === 0
  const baseUrl = findBaseUrl(request, services.sessions)
  const active = keys.find(({ isEnabled, isRevoked }) => isEnabled && !isRevoked)
  const whenNone = isEmpty ? renderFirstCall(baseUrl, active?.id ?? null) : page.searched ? html`` : renderNoMatch()
  const chart = isEmpty ? null : await readCallsChart(db, companyId, { given, filter }, timeZone)
  const isFirst = place.before === null && place.after === null && Object.keys(given).length === 0
  const top = isFirst ? await renderTop(request, page.entries[0]) : html``
  const former = await renderFormer(db, companyId, filter)
  return send(
    renderLogPage(html`${top} ${renderBar(pageFilter, chart, isEmpty ? null : facets)} ${former}`, {
      ...page,
      totals: facets && { sums: facets.totals, isMore: facets.isMore },
      count,
      filter: pageFilter,
      timeZone,
      whenNone,
    }),
  )
}

/** Renders what the first page begins with: what needs attention, or that all is well. */
async function renderTop(request: FastifyRequest, newest: LogEntry | undefined): Promise<Html> {
  const attention = await readAttentionOf(request)
  if (attention === null) return html``
  const { timeZone } = getViewer(request)
  return attention.items.length > 0
    ? renderAttention(attention.items, attention.snoozes.length, timeZone)
    : renderAllWell(newest?.entry, attention.snoozes.length, timeZone)
}

/** Names the people whom the search finds by a former value. */
async function renderFormer(db: LedgerDb, companyId: string, { q }: EntryFilter): Promise<Html> {
  const people = q === undefined ? [] : await findFormerPeople(db, companyId, q)
  return html`${people.slice(0, MAX_FORMER).map(
    (person) =>
      html`<p class="hint">“<bdi>${q}</bdi>” is a ${person.former} of
        <a href="${buildEmployeeUrl(person.id)}"><bdi>${formatFullName(person)}</bdi></a>.</p>`,
  )}`
}

/** Where a page of the list starts: the positions in its address. */
interface PagePosition {
  /** Entries older than this one. */
  before: number | null
  /** Entries newer than this one. */
  after: number | null
}

/** Reads the positions in an address, or says what is wrong with them. */
function readPagePosition({ cursor, after }: FormFields): PagePosition | { problem: Problem } {
  try {
    return {
      before: cursor === undefined ? null : decodeCursor(cursor),
      after: after === undefined ? null : decodeCursor(after, 'query parameter after'),
    }
  } catch (error) {
    return { problem: toFormProblem(error) }
  }
}

type ReadPage = Pick<ListPage, 'entries' | 'reached' | 'newer' | 'older' | 'searched' | 'count'>

async function readPage(
  db: LedgerDb,
  companyId: string,
  filter: EntryFilter,
  { before, after }: PagePosition,
): Promise<ReadPage> {
  const limit = PAGE_ENTRIES
  if (after !== null) {
    const { entries, next, isUnfinished } = await listLogEntries(db, companyId, filter, { after, limit })
    return {
      entries: entries.toReversed(),
      reached: null,
      newer: next,
      older: entries[0]?.position ?? after + 1,
      searched: isUnfinished ? { way: 'newer', time: await readLogTime(db, companyId, next!) } : null,
      count: null,
    }
  }
  // Read before the entries. An entry that arrives in between is on the page and is sent again; the script skips it.
  const reached = before === null ? await readReached(db, companyId, filter) : null
  const page = { before, limit, isCounted: true }
  const { entries, next, isUnfinished, count } = await listLogEntries(db, companyId, filter, page)
  return {
    entries,
    reached,
    newer: before === null ? null : (entries[0]?.position ?? Math.max(0, before - 1)),
    older: next,
    searched: isUnfinished ? { way: 'older', time: await readLogTime(db, companyId, next!) } : null,
    count,
  }
}

/** Counts the entries of all pages, as far as this page shows the log; null if that takes too long. */
async function countEntries(
  reads: Reads,
  companyId: string,
  filter: EntryFilter,
  page: ReadPage,
): Promise<EntryCount | null> {
  const shown = page.entries.length
  if (page.newer === null && page.older === null) return { count: shown, isMore: false }
  const counted = page.count ?? (await countInTime(reads, companyId, filter, findEnd(page)))
  return counted && counted.count < shown ? { count: shown, isMore: true } : counted
}

/** Counts the entries of the values of filters, as far as this page shows the log; null for a search, or if too slow. */
async function readFacets(
  reads: Reads,
  companyId: string,
  filter: EntryFilter,
  page: ReadPage,
): Promise<Facets | null> {
  if (filter.q !== undefined || filter.employee !== undefined) return null
  const groups = await readInTime(reads, companyId, (db) => groupLogEntries(db, companyId, filter, findEnd(page)))
  return groups && countFacets(groups, filter)
}

/** The last position that a page shows, if newer entries arrive on it by themselves and are added to its counts. */
function findEnd({ entries, reached }: ReadPage): number | null {
  return reached === null ? null : Math.max(reached, entries[0]?.position ?? 0)
}

/**
 * Reads the position up to which the filter's result is complete: a search by name also needs the employees projection,
 * which may be behind.
 */
async function readReached(db: LedgerDb, companyId: string, { employee, q }: EntryFilter): Promise<number> {
  if (employee === undefined && q === undefined) return readNewestLogPosition(db, companyId)
  return readCommonProgress(db, companyId, [BULK_USER_LOGS, EMPLOYEES])
}

/** Sends the rows after a position, newest first, with the position up to which the log was read. */
async function sendRows({ reads }: PageServices, reply: FastifyReply): Promise<FastifyReply> {
  const { request } = reply
  const { companyId, timeZone } = getViewer(request)
  const db = await reads.of(companyId, request.left)
  const { filter } = readPageFilter(request.query, timeZone)
  const { after } = readFormFields(request.query)
  if (!filter || after === undefined) throw invalidQuery(filter ? 'after' : 'for a filter', 'is not valid')
  const position = decodeCursor(after, 'query parameter after')
  const reached = await readReached(db, companyId, filter)
  const newest = await readNewestLogPosition(db, companyId)
  const page = await listLogEntries(db, companyId, filter, { after: position, limit: ROWS_AT_ONCE })
  const hasMore = page.next !== null
  const next = Math.max(position, hasMore ? Math.min(reached, page.next!) : reached)
  return sendFragment(reply, renderRowsFragment(page.entries.toReversed(), timeZone, next, hasMore || next < newest))
}
