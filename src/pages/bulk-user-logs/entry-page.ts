import { type SessionUser } from '#accounts/users/sessions'
import { hash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import type { LogEntry } from '#projections/bulk-user-logs/queries'
import { problem, type Problem } from '#domain/errors'
import { trimBlanks } from '#text/normalize-text'
import { rulesOf } from '#domain/operations'
import { whenGiven } from '#http/access/heavy-reads'
import { ProblemError, problemError } from '#http/server/problem'
import { callByHand } from '#ledger/calls/run-api-call'
import { correctCall, findFaultyFields, MAX_FAULTY_FIELDS, type FaultyCall } from '#log/faulty-fields'
import { buildUploadUrl, NAVIGATION } from '#wording/navigation'
import { formatCount, formatNumber, isOrAre, wasOrWere } from '#wording/numbers'
import { formatAttributeName } from '#pages/parts/attribute-values'
import { renderField, type FormFields, toFormProblem, checkForm, readFormFields } from '#pages/parts/form'
import { addFormPage, renderForm, type PageForms, type PageRequest } from '#pages/parts/form-page'
import { html, renderStatusBadge, isolate, renderButton, type Html } from '#pages/parts/elements'
import { type PageServices, getActing, getViewer } from '#pages/parts/context'
import {
  readRefusals,
  type RecordFilter,
  countOutcomes,
  findLogRecord,
  listLogRecords,
} from '#projections/bulk-user-logs/records-queries'
import { readClientOf } from '#ledger/read/read-names'
import { readCorrection } from '#ledger/corrections/corrections'
import { readRejectedBody } from '#ledger/read/read-rejected-body'
import { findUploadOfCall } from '#ledger/uploads/read-uploads'
import { readUndoings } from '#ledger/undo/undoings'
import type { LedgerDb } from '#ledger/tables'
import { toFoundCall } from '#log/log-entries'
import { readRecordFilter, RecordExportQuery } from '#log/bulk-user-logs-schemas'
import { addDetails } from '#log/refused-records'
import { decodeCursor } from '#http/server/query-values'
import { sendUserPage, renderBreadcrumb } from '#pages/parts/layout'
import {
  buildEntryUrl,
  formatCall,
  type OutcomeCounts,
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
import { renderCauses, ALL, chooseOutcomes, PAGE_SIZES, renderRecords, type RecordQuery } from './entry-records.ts'
import { renderRecordDetails, renderPersonInFull } from './records.ts'
import { renderRejectedBody } from './rejected-body.ts'

type FixRequest = PageRequest<{ log_id: string }>

/** `/settings/bulk-user-logs/{log_id}/fix`: the values for which records were refused, to send the call again. */
export function addFixPage(app: FastifyInstance, services: PageServices, path: string) {
  const config = { isHeavyRead: true }
  const load = async (request: FixRequest) => {
    const { companyId } = getViewer(request)
    const db = await services.reads.of(companyId, request.left)
    const entry = await services.requireLogEntry(db, companyId, request.params.log_id)
    return { entry, call: await findFaultyFields(db, companyId, entry) }
  }
  addFormPage(app, {
    path: `${path}/:log_id/fix`,
    config,
    load,
    render: ({ entry, call }, forms) =>
      call === null ? { elsewhere: buildUploadUrl(entry.entry.id) } : renderFix(entry, call, forms),
    forms: {
      send: {
        config,
        keeps: Array.from({ length: MAX_FAULTY_FIELDS }, (_, at) => nameOf(at)),
        async run(request, fields) {
          const { entry, call } = await load(request)
          if (!call) return { goTo: buildUploadUrl(entry.entry.id) }
          return { goTo: `${path}/${await sendAgain(services, request, entry, call, fields)}` }
        },
      },
    },
  })
}

function renderFix(entry: LogEntry, { fields, refused }: FaultyCall, forms: PageForms<'send'>) {
  const { status, counts } = entry.entry
  const all = status === 'Failed' ? counts.total : refused.size
  const others = all - refused.size
  return {
    title: `Fix ${formatCall(entry)}`,
    trail: [NAVIGATION.bulkUserLogs, { label: formatCall(entry), path: buildEntryUrl(entry) }],
    body: html`<p>
        ${formatCount(refused.size, 'record')} ${wasOrWere(refused.size)}
        refused.${others !== 0 && ` The other ${formatNumber(others)} ${isOrAre(others)} sent again, too, unchanged.`}
        Leave a field empty to send no value.
      </p>
      ${renderForm(forms, 'send', {
        fields: (values) => renderFields(fields, values),
        values: Object.fromEntries(fields.map(({ value }, at) => [nameOf(at), value])),
        buttons: html`<div class="actions">
          <button class="primary">Send ${formatCount(all, 'record')} again</button>
          ${renderButton(buildUploadUrl(entry.entry.id), 'Correct in a file')}
          ${renderButton(buildEntryUrl(entry), 'Cancel')}
        </div>`,
      })}`,
  }
}

function nameOf(at: number) {
  return `value_${at}`
}

/** Renders the fields with what the API said of each, below the names of their people. */
function renderFields(fields: FaultyCall['fields'], values: FormFields) {
  const errors = fields.flatMap(({ messages }, at) =>
    messages.map((message) => ({
      index: 0,
      id: null,
      pointer: `/${nameOf(at)}`,
      code: 'invalid_value' as const,
      message,
    })),
  )
  const faults = problem('validation_failed', '', errors)
  return html`${[...Map.groupBy(fields.entries(), ([, { index }]) => index).values()].map(
    (ofRecord) =>
      html`<fieldset>
        <legend>${isolate(ofRecord[0]![1].person)}</legend>
        ${ofRecord.map(([at, { name }]) =>
          renderField(
            { name: nameOf(at), label: formatAttributeName(name), value: values[nameOf(at)] ?? '', isRequired: false },
            faults,
          ),
        )}
      </fieldset>`,
  )}`
}

/** Sends the call again, and returns the id of the entry. */
async function sendAgain(
  { reads, uploads: { commands } }: PageServices,
  request: FixRequest,
  entry: LogEntry,
  call: FaultyCall,
  given: FormFields,
) {
  const { companyId } = getViewer(request)
  const values = call.fields.map((_, at) => trimBlanks(given[nameOf(at)] ?? ''))
  const corrected = await correctCall(await reads.of(companyId, request.left), companyId, entry, call, values)
  if (!corrected) throw new ProblemError(NOT_KEPT)
  const { body } = await callByHand(commands, {
    acting: getActing(request),
    requestId: request.id,
    operation: rulesOf(entry.entry.operation).resentAs,
    ...corrected,
    form: `${entry.entry.id} ${hash('sha256', JSON.stringify(values))}`,
  })
  const answer = (Buffer.isBuffer(body) ? JSON.parse(body.toString()) : body) as { log_id?: string }
  if (answer.log_id === undefined) throw new ProblemError(answer as Problem)
  return answer.log_id
}

const NOT_KEPT = problem(
  'upload_not_applicable',
  'The other records of the call are no longer kept: correct it in a file, together with them',
)

type EntryRequest = PageRequest<{ log_id: string }>

/** `/settings/bulk-user-logs/{log_id}`: an entry with its records, and a page for each record. */
export function addEntryPages(app: FastifyInstance, services: PageServices, path: string) {
  const config = { isHeavyRead: whenGiven(['q', 'error']) }
  app.get(`${path}/:log_id`, { config }, async (request: EntryRequest, reply) => {
    const opened = await openEntry(services, request)
    const { db, entry } = opened
    const viewer = getViewer(request)
    const { companyId } = viewer
    const outcomes = await countOutcomes(db, companyId, entry)
    const query = readRecordQuery(request.query, outcomes)
    const correction = await readCorrection(db, companyId, toFoundCall(entry))
    // A call whose body could not be read has failed; one that has failed cannot be undone.
    const isFailed = entry.entry.status === 'Failed'
    const rejectedBody = isFailed ? await readRejectedBody(db, companyId, entry.position) : null
    const isPart = !isFailed && entry.entry.file?.part != null
    const upload = isPart ? await findUploadOfCall(services.uploads.pool, companyId, entry.entry.id) : null
    const undoings = isFailed ? [] : await readUndoings(db, companyId, entry.entry.id)
    const refusals = entry.entry.counts.failed > 0 ? await readRefusals(db, companyId, entry) : null
    const page = query.filter && (await readRecordPage(db, companyId, entry, query.filter, query))
    const content = html`${renderBreadcrumb(NAVIGATION.bulkUserLogs)}
        <h1>${renderHeading(entry)} ${renderStatusBadge(entry.entry.status)}</h1>
        ${renderOutcome(entry, outcomes)} ${renderCallCounts(entry, outcomes)} ${renderWholeRefusal(entry)}
        ${renderNotes(entry)}
        ${renderRejectedBody(entry, rejectedBody)}
        ${renderCorrections(entry, correction)} ${renderUndoings(entry, undoings, upload?.id ?? null)}
        ${refusals && renderCauses(entry, refusals, query.given['error'])}
        ${outcomes.size !== 0 && renderRecords({ entry, outcomes, refusals, query, page })}`
    if (!query.filter) void reply.code(400)
    return sendUserPage(reply, viewer, { title: formatEntryTitle(entry), body: renderBeside(content, opened, viewer) })
  })
  app.get(`${path}/:log_id/records/:index`, async (request: PageRequest<{ log_id: string; index: string }>, reply) => {
    const opened = await openEntry(services, request)
    const { db, entry } = opened
    const { index } = request.params
    const viewer = getViewer(request)
    const row = /^\d{1,9}$/.test(index) ? await findLogRecord(db, viewer.companyId, entry, Number(index)) : null
    if (!row) throw problemError('route_not_found', 'This entry has no such record')
    const [record] = await addDetails(db, viewer.companyId, [row])
    const ofEntry = { label: formatCall(entry), path: buildEntryUrl(entry) }
    const content = html`${renderBreadcrumb(NAVIGATION.bulkUserLogs, [ofEntry])}
        <h1>Record ${row.index! + 1} · ${renderHeading(entry)} ${renderStatusBadge(record!.outcome)}</h1>
        <p>${renderPersonInFull(record!)} <span class="hint">· <code>index</code> ${index} in the call</span></p>
        ${renderRecordDetails(record!)}`
    return sendUserPage(reply, viewer, {
      title: `Record ${row.index! + 1} · ${formatEntryTitle(entry)}`,
      body: renderBeside(content, opened, viewer),
    })
  })
}

/** Reads the entry that a page is about, and from where its call was sent. */
async function openEntry({ reads, requireLogEntry }: PageServices, request: EntryRequest) {
  const { companyId } = getViewer(request)
  const db = await reads.of(companyId, request.left)
  const entry = await requireLogEntry(db, companyId, request.params.log_id)
  return { db, entry, client: await readClientOf(db, companyId, entry.position) }
}

/** Renders content with the facts of the call beside it. */
function renderBeside(
  content: Html,
  { entry, client }: Awaited<ReturnType<typeof openEntry>>,
  { timeZone }: SessionUser,
) {
  return html`<div class="entry columns">
    <div>${content}</div>
    <aside aria-label="Call">${renderRequest(entry, client, timeZone)}</aside>
  </div>`
}

function renderHeading(entry: LogEntry) {
  return html`${formatCall(entry)} · ${isolate(formatCaller(entry.entry))}`
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
) {
  // One extra row tells whether there is another page.
  const after = cursor === undefined ? -1 : decodeCursor(cursor)
  const place = before === undefined ? { after } : { before: decodeCursor(before) }
  const page = await listLogRecords(db, companyId, entry, filter, { ...place, limit: limit + 1 })
  const hasMore = page.length > limit
  const rows = before === undefined ? page.slice(0, limit) : page.slice(-limit)
  const records = await addDetails(db, companyId, rows)
  return before === undefined
    ? { records, hasPrevious: cursor !== undefined, hasNext: hasMore || records.length < rows.length }
    : { records, hasPrevious: hasMore, hasNext: true }
}
