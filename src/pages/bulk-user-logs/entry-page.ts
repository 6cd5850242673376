import type { FastifyInstance } from 'fastify'
import type { LogEntry } from '#projections/bulk-user-logs/queries'
import type { RecordFilter } from '#projections/bulk-user-logs/records-queries'
import { countOutcomes, findLogRecord, listLogRecords } from '#projections/bulk-user-logs/records-queries'
import { readRefusals } from '#projections/bulk-user-logs/refusals'
import { problem } from '#domain/errors'
import { readClientOf } from '#ledger/read/read-clients'
import { readCorrection } from '#ledger/corrections/read-correction'
import { readRejectedBody } from '#ledger/read/read-rejected-body'
import { readUndoings } from '#ledger/undo/undoings'
import type { LedgerDb } from '#ledger/tables'
import { toFoundCall } from '#log/log-entries'
import { readRecordFilter, RecordExportQuery } from '#log/bulk-user-logs-schemas'
import { addDetails } from '#log/detailed-records'
import { decodeCursor } from '#http/server/query-values'
import { whenGiven } from '#http/access/heavy-reads'
import { ProblemError } from '#http/server/problem'
import type { OutcomeCounts } from './entry.ts'
import {
  buildEntryUrl,
  formatCall,
  formatCaller,
  formatEntryTitle,
  renderCorrections,
  renderCallCounts,
  renderRequest,
  renderOutcome,
  renderNotes,
  renderUndoings,
  renderWholeRefusal,
} from './entry.ts'
import {
  renderCauses,
  ALL,
  chooseOutcomes,
  PAGE_SIZES,
  renderRecords,
  type RecordPage,
  type RecordQuery,
} from './entry-records.ts'
import { renderRecordDetails, renderPersonInFull } from './records.ts'
import { renderRejectedBody } from './rejected-body.ts'
import { renderStatusBadge, html, type Html } from '../parts/elements.ts'
import { toFormProblem, checkForm, readFormFields } from '../parts/form.ts'
import type { PageRequest } from '../parts/form-page.ts'
import { sendUserPage, renderBreadcrumb } from '../parts/layout.ts'
import { NAVIGATION } from '#wording/navigation'
import { type PageServices, getViewer } from '../parts/context.ts'
import { trimBlanks } from '#text/normalize-text'

type EntryRequest = PageRequest<{ log_id: string }>

/** `/settings/bulk-user-logs/{log_id}`: an entry with its records, and a page for each record. */
export function addEntryPages(app: FastifyInstance, services: PageServices, path: string): void {
  const config = { isHeavyRead: whenGiven(['q', 'error']) }
  app.get(`${path}/:log_id`, { config }, async (request: EntryRequest, reply) => {
    const { db, entry, client } = await openEntry(services, request)
    const viewer = getViewer(request)
    const { companyId } = viewer
    const outcomes = await countOutcomes(db, companyId, entry)
    const query = readRecordQuery(request.query, outcomes)
    const correction = await readCorrection(db, companyId, toFoundCall(entry))
    // A call whose body could not be read has failed; one that has failed cannot be undone.
    const isFailed = entry.entry.status === 'Failed'
    const rejectedBody = isFailed ? await readRejectedBody(db, companyId, entry.position) : null
    const undoings = isFailed ? [] : await readUndoings(db, companyId, entry.entry.id)
    const refusals = entry.entry.counts.failed > 0 ? await readRefusals(db, companyId, entry) : null
    const page = query.filter && (await readRecordPage(db, companyId, entry, query.filter, query))
    const body = html`<div class="entry columns">
      <div>
        ${renderBreadcrumb(NAVIGATION.bulkUserLogs)}
        <h1>${renderHeading(entry)} ${renderStatusBadge(entry.entry.status)}</h1>
        ${renderOutcome(entry, outcomes)} ${renderCallCounts(entry, outcomes)} ${renderWholeRefusal(entry)}
        ${renderNotes(entry)}
        ${renderRejectedBody(entry, rejectedBody)}
        ${renderCorrections(entry, correction)} ${renderUndoings(entry, undoings)}
        ${refusals && renderCauses(entry, refusals, query.given['error'])}
        ${outcomes.size !== 0 && renderRecords({ entry, outcomes, refusals, query, page })}
      </div>
      <aside aria-label="Call">${renderRequest(entry, client, viewer.timeZone)}</aside>
    </div>`
    if (!query.filter) void reply.code(400)
    return sendUserPage(reply, viewer, { title: formatEntryTitle(entry), body })
  })
  app.get(`${path}/:log_id/records/:index`, async (request: PageRequest<{ log_id: string; index: string }>, reply) => {
    const { db, entry, client } = await openEntry(services, request)
    const { index } = request.params
    const viewer = getViewer(request)
    const row = /^\d{1,9}$/.test(index) ? await findLogRecord(db, viewer.companyId, entry, Number(index)) : null
    if (!row) throw new ProblemError(problem('route_not_found', 'This entry has no such record'))
    const [record] = await addDetails(db, viewer.companyId, [row])
    const ofEntry = { label: formatCall(entry), path: buildEntryUrl(entry) }
    const body = html`<div class="entry columns">
      <div>
        ${renderBreadcrumb(NAVIGATION.bulkUserLogs, [ofEntry])}
        <h1>Record ${row.index! + 1} · ${renderHeading(entry)} ${renderStatusBadge(record!.outcome)}</h1>
        <p>${renderPersonInFull(record!)} <span class="hint">· <code>index</code> ${index} in the call</span></p>
        ${renderRecordDetails(record!)}
      </div>
      <aside aria-label="Call">${renderRequest(entry, client, viewer.timeZone)}</aside>
    </div>`
    return sendUserPage(reply, viewer, { title: `Record ${row.index! + 1} · ${formatEntryTitle(entry)}`, body })
  })
}

/** Reads the entry that a page is about, and from where its call was sent. */
async function openEntry({ reads, requireLogEntry }: PageServices, request: EntryRequest) {
  const { companyId } = getViewer(request)
  const db = await reads.of(companyId, request.left)
  const entry = await requireLogEntry(db, companyId, request.params.log_id)
  return { db, entry, client: await readClientOf(db, companyId, entry.position) }
}

function renderHeading(entry: LogEntry): Html {
  return html`${formatCall(entry)} · <bdi>${formatCaller(entry.entry)}</bdi>`
}

function readRecordQuery(query: unknown, outcomes: OutcomeCounts): RecordQuery {
  const { status = '', q = '', error = '', limit = '', cursor, before } = readFormFields(query)
  const size = PAGE_SIZES.includes(limit) ? limit : PAGE_SIZES[0]!
  const given = { status, error, q: trimBlanks(q), limit: size === PAGE_SIZES[0] ? '' : size }
  // Who looks for a person or an error looks in all records.
  const shown = status || (given.q === '' && error === '' ? chooseOutcomes(outcomes) : ALL)
  const place = { limit: Number(size), cursor, before }
  try {
    const fields = { status: shown === ALL ? '' : shown, error, q: given.q }
    const set = Object.fromEntries(Object.entries(fields).filter(([, text]) => text !== ''))
    return { given, shown, filter: readRecordFilter(checkForm(RecordExportQuery, set)), problem: null, ...place }
  } catch (problem) {
    return { given, shown, filter: null, problem: toFormProblem(problem), ...place }
  }
}

async function readRecordPage(
  db: LedgerDb,
  companyId: string,
  entry: LogEntry,
  filter: RecordFilter,
  { limit, cursor, before }: RecordQuery,
): Promise<RecordPage> {
  // One extra row tells whether there is another page.
  const after = cursor === undefined ? -1 : decodeCursor(cursor)
  const place = before === undefined ? { after } : { before: decodeCursor(before) }
  const page = await listLogRecords(db, companyId, entry, filter, { ...place, limit: limit + 1 })
  const hasMore = page.length > limit
  const rows = before === undefined ? page.slice(0, limit) : page.slice(-limit)
  const records = await addDetails(db, companyId, rows)
  return before === undefined
    ? { records, hasPrevious: cursor !== undefined, hasNext: hasMore }
    : { records, hasPrevious: hasMore, hasNext: true }
}
