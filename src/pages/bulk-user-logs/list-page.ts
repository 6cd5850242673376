import type { FastifyInstance, FastifyReply } from 'fastify'
import {
  type EntryFilter,
  type LogEntry,
  listLogEntries,
  readNewestLogPosition,
  findLogEntry,
} from '#projections/bulk-user-logs/queries'
import type { Attention } from '#accounts/attention/read-attention'
import { listApiKeys, type SeenKey } from '#accounts/api-keys/api-keys'
import type { Problem } from '#domain/errors'
import { isId } from '#domain/ids'
import { decodeCursor, invalidQuery } from '#http/server/query-values'
import { whenGiven } from '#http/access/heavy-reads'
import { nameSinglePeople } from '#log/record-people'
import { buildUrl } from '#wording/navigation'
import { findBaseUrl } from '#http/access/session'
import type { FormerPerson } from '#pages/parts/former-people'
import { html, type Html, renderEmployeeLink, isolate, renderHint } from '#pages/parts/elements'
import { type PageServices, getViewer, readAttentionOf } from '#pages/parts/context'
import { renderAllWell, renderAttention } from '#pages/parts/attention'
import { addUploadPages } from '#pages/uploads/upload-page'
import { readCallsChart } from '#pages/charts/calls-chart'
import { readRefusedChart } from '#pages/charts/refused-chart'
import { readFormFields, toFormProblem, type FormFields } from '#pages/parts/form'
import { sendUserPage, sendFragment } from '#pages/parts/layout'
import { addEntryPages, addFixPage } from './entry-page.ts'
import { addRefusalsPage } from './refusals-page.ts'
import { addUndoPages } from './undo-page.ts'
import { renderFilterBar, readPageFilter } from './filter-bar.ts'
import { buildEntryUrl } from './entry.ts'
import {
  LOGS_PATH,
  renderFirstCall,
  renderHead,
  renderLogPage,
  renderNoMatch,
  renderRowsFragment,
  ROWS_PATH,
  type EntryList,
  readEntryList,
  readPage,
  readReached,
  type PagePosition,
} from './list.ts'

/** New entries in one response to the script; it asks again for more. */
const ROWS_AT_ONCE = 100
/** Keys in the filter's list; the address may name any other key by its id. */
const KEYS_SHOWN = 200

/** The most people that the page names because a former value found them. */
const MAX_FORMER = 5

/** Bulk User Logs: the list, its new rows for the script, the pages of an entry, and uploading a file. */
export function addBulkUserLogsPages(app: FastifyInstance, services: PageServices) {
  const config = { isHeavyRead: whenGiven(['q', 'employee']) }
  app.get(LOGS_PATH, { config }, async (_, reply) => sendEntryList(services, reply))
  app.get(ROWS_PATH, { config }, async (_, reply) => sendRows(services, reply))
  addRefusalsPage(app, services)
  addEntryPages(app, services, LOGS_PATH)
  addFixPage(app, services, LOGS_PATH)
  addUndoPages(app, services)
  void app.register((uploads) => addUploadPages(uploads, services))
}

async function sendEntryList({ db: keysDb, reads, sessions }: PageServices, reply: FastifyReply) {
  const { request } = reply
  const viewer = getViewer(request)
  const { companyId, timeZone } = viewer
  const fields = readFormFields(request.query)
  const pageFilter = readPageFilter(request.query, timeZone)
  const { given, filter } = pageFilter
  // A form also sends its empty fields; redirect to the shorter address, which people keep and share.
  if (Object.values(fields).includes('')) return reply.redirect(buildUrl(LOGS_PATH, given), 303)
  const keys = (await listApiKeys(keysDb, companyId, { limit: KEYS_SHOWN })).map(({ key }) => key)
  const around = { keys, path: LOGS_PATH, timeZone }
  const send = async (body: Html) => sendUserPage(reply, viewer, { title: 'Bulk User Logs', body })
  const place = readPagePosition(fields)
  const placeProblem = 'problem' in place ? place.problem : null
  if (!filter || 'problem' in place) {
    const refused = { given, filter: null, problem: pageFilter.problem ?? placeProblem }
    void reply.code(400)
    return send(
      html`${renderHead(html``)} ${renderFilterBar(refused, { ...around, chart: null, refused: null, facets: null })}`,
    )
  }
  const db = await reads.of(companyId, request.left)
  const entry = isId('log', filter.q) ? await findLogEntry(db, companyId, filter.q) : null
  if (entry) return reply.redirect(buildEntryUrl(entry), 303)
  const page = await readPage(db, companyId, filter, place)
  // Everything newer fits on the first page, which updates by itself.
  if (place.after !== null && page.newer === null) return reply.redirect(buildUrl(LOGS_PATH, given), 303)
  const list = await readEntryList(db, reads, companyId, filter, page)
  const { isEmpty, facets } = list
  const chart = isEmpty ? null : await readCallsChart(db, companyId, { given, filter }, timeZone)
  const isFirst = place.before === null && place.after === null && Object.keys(given).length === 0
  const attention = isFirst ? await readAttentionOf(request) : null
  const refused = isFirst && !isEmpty ? await readRefusedChart(db, companyId, keys) : null
  const bar = renderFilterBar(pageFilter, { ...around, chart, refused, facets: isEmpty ? null : facets })
  const above = html`${renderTop(attention, page.entries[0], timeZone)} ${bar} ${renderFormer(list.former, filter)}`
  const whenNone = renderNone(list, findBaseUrl(request, sessions), keys)
  return send(renderLogPage(above, { ...list, filter: pageFilter, timeZone, whenNone }))
}

/** Renders what the first page begins with: what needs attention, or that all is well. */
function renderTop(attention: Attention | null, newest: LogEntry | undefined, timeZone: string) {
  if (attention === null) return html``
  return attention.items.length > 0
    ? renderAttention(attention.items, attention.snoozes.length, timeZone)
    : renderAllWell(newest?.entry, attention.snoozes.length, timeZone)
}

/** Names the people whom the search finds by a former value. */
function renderFormer(people: readonly FormerPerson[], { q }: EntryFilter) {
  return html`${people
    .slice(0, MAX_FORMER)
    .map((person) => renderHint(html`“${isolate(q)}” is a ${person.former} of ${renderEmployeeLink(person)}.`))}`
}

/** Renders what is in the place of entries if there are none. */
function renderNone({ isEmpty, searched }: EntryList, baseUrl: string, keys: readonly SeenKey['key'][]) {
  if (!isEmpty) return searched ? html`` : renderNoMatch()
  const active = keys.find(({ isEnabled, isRevoked }) => isEnabled && !isRevoked)
  return renderFirstCall(baseUrl, active?.id ?? null)
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

/** Sends the rows after a position, newest first, with the position up to which the log was read. */
async function sendRows({ reads }: PageServices, reply: FastifyReply) {
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
  const people = await nameSinglePeople(db, companyId, page.entries)
  const rows = { entries: page.entries.toReversed(), people, timeZone }
  return sendFragment(reply, renderRowsFragment(rows, next, hasMore || next < newest))
}
