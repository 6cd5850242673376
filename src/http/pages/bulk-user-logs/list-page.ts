import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { html } from 'hono/html'
import type { EntryFilter } from '../../../../projections/bulk-user-logs/queries.ts'
import {
  listLogEntries,
  listLogEntriesAfter,
  readLogTime,
  readNewestLogPosition,
} from '../../../../projections/bulk-user-logs/queries.ts'
import { EMPLOYEES } from '../../../../projections/employees/queries.ts'
import { listApiKeys } from '../../../accounts/api-keys/read-api-keys.ts'
import { readProgress } from '../../../ledger/read/read-progress.ts'
import type { Reads } from '../../../ledger/read/reads.ts'
import type { LedgerDb } from '../../../ledger/tables.ts'
import { decodeCursor } from '../../server/cursor.ts'
import { whenGiven } from '../../access/heavy-reads.ts'
import { invalidQuery } from '../../server/query-values.ts'
import type { SessionSettings } from '../../access/session.ts'
import { buildUrl } from '../parts/addresses.ts'
import { findBaseUrl } from '../parts/base-url.ts'
import { addEntryPages } from './entry-page.ts'
import { renderEntryFilter, readPageFilter } from './filter.ts'
import type { ListPage } from './list.ts'
import { renderEntryList, LOGS_PATH, renderFirstCall, renderNoMatch, ROWS_PATH, renderRowsFragment } from './list.ts'
import { readFormFields } from '../parts/form.ts'
import { sendUserPage } from '../parts/layout.ts'
import type { Html } from '../parts/page.ts'
import { sendFragment } from '../parts/page.ts'
import { getViewer } from '../parts/viewer.ts'

const PAGE_ENTRIES = 50
/** New entries in one response to the script; it asks again for more. */
const ROWS_AT_ONCE = 100
/** Keys in the filter's list; the address may name any other key by its id. */
const KEYS_SHOWN = 200

interface BulkUserLogsPageServices {
  /** The primary, for the keys. */
  db: LedgerDb
  reads: Reads
  sessions: SessionSettings
}

/** Bulk User Logs: the list, its new rows for the script, and the pages of an entry. */
export function addBulkUserLogsPages(app: FastifyInstance, services: BulkUserLogsPageServices): void {
  const config = { isHeavyRead: whenGiven('q', 'employee') }
  app.get(LOGS_PATH, { config }, async (request, reply) => sendEntryList(services, request, reply))
  app.get(ROWS_PATH, { config }, async (request, reply) => sendRows(services.reads, request, reply))
  addEntryPages(app, services.reads, LOGS_PATH)
}

async function sendEntryList(
  services: BulkUserLogsPageServices,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { companyId, timeZone } = getViewer(request)
  const pageFilter = readPageFilter(request.query, timeZone)
  const { given, filter } = pageFilter
  const { cursor, after } = readFormFields(request.query)
  // A form also sends its empty fields; redirect to the shorter address, which people keep and share.
  if (Object.values(readFormFields(request.query)).includes('')) return reply.redirect(buildUrl(LOGS_PATH, given), 303)
  const keys = (await listApiKeys(services.db, companyId, { limit: KEYS_SHOWN })).map(({ key }) => key)
  const form = renderEntryFilter(pageFilter, keys, LOGS_PATH, timeZone)
  if (!filter) return sendListPage(request, reply.code(400), form, html``)
  const db = await services.reads.of(companyId)
  const read = await readPage(db, companyId, filter, { cursor, after })
  // Everything newer fits on the first page, which updates by itself.
  if (after !== undefined && read.newer === null) return reply.redirect(buildUrl(LOGS_PATH, given), 303)
  const isEmpty = read.entries.length === 0 && (await readNewestLogPosition(db, companyId)) === 0
  const baseUrl = findBaseUrl(request, services.sessions)
  const active = keys.find(({ isEnabled, isRevoked }) => isEnabled && !isRevoked)
  const whenNone = isEmpty ? renderFirstCall(baseUrl, active?.id ?? null) : read.searched ? html`` : renderNoMatch()
  return sendListPage(request, reply, form, renderEntryList({ ...read, filter: pageFilter, timeZone, whenNone }))
}

async function sendListPage(
  request: FastifyRequest,
  reply: FastifyReply,
  form: Html,
  list: Html,
): Promise<FastifyReply> {
  const body = html`<h1>Bulk User Logs</h1>
    <p class="hint">
      Every API call that tried to create or update employees. Times in ${getViewer(request).timeZone}.
    </p>
    ${form} ${list}`
  return sendUserPage(request, reply, getViewer(request), { title: 'Bulk User Logs', body })
}

interface Place {
  /** Entries older than this one. */
  cursor: string | undefined
  /** Entries newer than this one. */
  after: string | undefined
}

type ReadPage = Pick<ListPage, 'entries' | 'reached' | 'newer' | 'older' | 'searched'>

async function readPage(
  db: LedgerDb,
  companyId: string,
  filter: EntryFilter,
  { cursor, after }: Place,
): Promise<ReadPage> {
  const limit = PAGE_ENTRIES
  if (after !== undefined) {
    const start = decodeCursor(after, 'query parameter after')
    const { entries, next, isUnfinished } = await listLogEntriesAfter(db, companyId, filter, { after: start, limit })
    return {
      entries: entries.toReversed(),
      reached: null,
      newer: next,
      older: entries[0]?.position ?? start + 1,
      searched: isUnfinished ? { way: 'newer', time: await readLogTime(db, companyId, next!) } : null,
    }
  }
  // Read before the entries. An entry that arrives in between is on the page and is sent again; the script skips it.
  const reached = cursor === undefined ? (await readReach(db, companyId, filter)).reached : null
  const before = cursor === undefined ? null : decodeCursor(cursor)
  const { entries, next, isUnfinished } = await listLogEntries(db, companyId, filter, { before, limit })
  return {
    entries,
    reached,
    newer: before === null ? null : (entries[0]?.position ?? Math.max(0, before - 1)),
    older: next,
    searched: isUnfinished ? { way: 'older', time: await readLogTime(db, companyId, next!) } : null,
  }
}

/**
 * Reads the position of the newest entry, and the position up to which the filter's result is complete: a search by
 * name also needs the employees projection, which may be behind.
 */
async function readReach(
  db: LedgerDb,
  companyId: string,
  { employee, q }: EntryFilter,
): Promise<{ newest: number; reached: number }> {
  const newest = await readNewestLogPosition(db, companyId)
  if (employee === undefined && q === undefined) return { newest, reached: newest }
  const { reached } = await readProgress(db, companyId, EMPLOYEES)
  return { newest, reached: Math.min(newest, reached) }
}

/** Sends the rows after a position, newest first, with the position up to which the log was read. */
async function sendRows(reads: Reads, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { companyId, timeZone } = getViewer(request)
  const db = await reads.of(companyId)
  const { filter } = readPageFilter(request.query, timeZone)
  const { after } = readFormFields(request.query)
  if (!filter || after === undefined) throw invalidQuery(filter ? 'after' : 'for a filter', 'is not valid')
  const position = decodeCursor(after, 'query parameter after')
  const { newest, reached } = await readReach(db, companyId, filter)
  const page = await listLogEntriesAfter(db, companyId, filter, { after: position, limit: ROWS_AT_ONCE })
  const hasMore = page.next !== null
  const next = Math.max(position, hasMore ? Math.min(reached, page.next!) : reached)
  return sendFragment(reply, renderRowsFragment(page.entries.toReversed(), timeZone, next, hasMore || next < newest))
}
