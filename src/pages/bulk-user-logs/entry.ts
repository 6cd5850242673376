import { rulesOf } from '#domain/operations'
import type { LogEntry } from '#projections/bulk-user-logs/queries'
import type { RecordOutcome } from '#projections/bulk-user-logs/records-queries'
import type { Client } from '#domain/call-sources'
import { isCorrected, type Correction } from '#ledger/corrections/corrections'
import type { Undoing } from '#ledger/undo/undoings'
import { buildUrl, EVIDENCE_PATH, NAVIGATION, UPLOAD_PATH } from '#wording/navigation'
import { capitalise, COUNTS, formatCorrection, describeDone, listDone } from '#pages/parts/call-words'
import {
  isolate,
  renderAddressLink,
  renderClient,
  renderCounts,
  renderFacts,
  renderId,
  html,
  renderEntryLink,
  renderNameLink,
  renderTime,
  renderActions,
  renderButton,
  renderCode,
  renderHint,
  renderJoined,
} from '#pages/parts/elements'
import { formatCount, formatNumber, wasOrWere } from '#wording/numbers'

const LOGS_PATH = NAVIGATION.bulkUserLogs.path

/** Builds the path of an entry's page. */
export function buildEntryUrl({ entry }: LogEntry) {
  return `${LOGS_PATH}/${entry.id}`
}

/** The number of records of each outcome; those of a call that was refused as a whole have none. */
export type OutcomeCounts = ReadonlyMap<RecordOutcome, number>

/** What a call did, in two words: `Update 1,000`. */
export function formatCall({ entry: { operation, counts } }: LogEntry) {
  const verb = capitalise(rulesOf(operation).verb)
  return counts.total === 0 ? verb : `${verb} ${formatNumber(counts.total)}`
}

/** The name of the key or user that made a call. */
export function formatCaller({ key, user }: LogEntry['entry']) {
  return key?.name ?? user?.name ?? 'Erased user'
}

/** The title of an entry's page, which tells it apart in a row of tabs. */
export function formatEntryTitle(logEntry: LogEntry) {
  const { entry } = logEntry
  // Isolated (U+2068, U+2069), because the name may change the writing direction.
  return `${formatCall(logEntry)} · \u2068${formatCaller(entry)}\u2069 · ${entry.status.toLowerCase()}`
}

/** Renders a sentence that says which key asked for what, and what happened. */
export function renderOutcome(logEntry: LogEntry, outcomes: OutcomeCounts) {
  const { entry } = logEntry
  const { total } = entry.counts
  const verb = rulesOf(entry.operation).verb
  const attempt = total === 0 ? `tried to ${verb} employees` : `tried to ${verb} ${formatCount(total, 'employee')}`
  const what =
    entry.status === 'Failed'
      ? `${attempt}. Nothing was applied${explainFailure(logEntry, outcomes)}.`
      : describeResult(logEntry, attempt)
  return html`<p class="entry-outcome"><strong>${isolate(formatCaller(entry))}</strong> ${what}</p>`
}

function describeResult({ entry: { counts } }: LogEntry, attempt: string) {
  const { total, failed, no_updates: unchanged } = counts
  const refused = failed === 0 ? '' : `; ${formatCount(failed, 'record')} ${wasOrWere(failed)} refused`
  const done = describeDone(counts)
  if (done === null && failed === 0)
    return `${attempt}. ${total === 1 ? 'The employee was' : 'All were'} already up to date.`
  const same = unchanged === 0 ? '' : `; ${formatNumber(unchanged)} ${wasOrWere(unchanged)} already up to date`
  return `${done ?? attempt}${same}${refused}.`
}

function explainFailure(logEntry: LogEntry, outcomes: OutcomeCounts) {
  const { total } = logEntry.entry.counts
  const refused = outcomes.get('Failed') ?? 0
  if (!isAboutRecords(logEntry) || refused === 0) return ''
  if (total === 1) return ': the record has errors'
  if (refused === total) return `: all ${formatNumber(total)} records have errors`
  const others = total - refused
  const valid = others === 1 ? 'one was' : `${formatNumber(others)} were`
  const have = refused === 1 ? 'has' : 'have'
  return `: ${formatNumber(refused)} of ${formatNumber(total)} records ${have} errors; the other ${valid} valid`
}

/** The errors of a call that its records caused. */
const RECORD_PROBLEMS = new Set(['validation_failed', 'already_exists', 'inactive_employee_exists'])

/** Whether a failed call was refused because of its records. */
function isAboutRecords({ entry: { error } }: LogEntry) {
  return error !== null && RECORD_PROBLEMS.has(error.code)
}

/** Renders why a call was refused as a whole, in the words of the API. */
export function renderWholeRefusal(logEntry: LogEntry) {
  const { error } = logEntry.entry
  if (!error || isAboutRecords(logEntry)) return html``
  return html`<p class="alert"><strong>The API refused the call:</strong> ${renderApiError(logEntry)}</p>`
}

/** Renders what of a call was ignored, or kept otherwise than it was sent. */
export function renderNotes({ entry: { notes } }: LogEntry) {
  if (notes.length === 0) return html``
  return html`<section aria-label="Notes">
    <h2>Not applied as sent</h2>
    <ul>
      ${notes.map(({ path, message }) => html`<li>${renderCode(path)}: ${message}</li>`)}
    </ul>
  </section>`
}

function renderApiError({ entry: { error, http_status: status } }: LogEntry) {
  if (!error) return html``
  return html`<span id="api-error">${error.detail}</span> (<a href="/problems/${error.code}"
      >${status} ${renderCode(error.code)}</a
    >)`
}

/** Renders the counts of a call, and what they mean where that is not obvious. */
export function renderCallCounts(logEntry: LogEntry, outcomes: OutcomeCounts) {
  const { counts } = logEntry.entry
  const meaning = explainCounts(logEntry, outcomes)
  return html`<section class="entry-counts" aria-label="Counts">
    ${renderCounts(COUNTS.map(([name, label]) => [label, counts[name]]))}
    ${meaning !== null && renderHint(meaning)}
  </section>`
}

function explainCounts({ entry }: LogEntry, outcomes: OutcomeCounts) {
  const { total, failed } = entry.counts
  const refused = outcomes.get('Failed') ?? 0
  if (entry.status === 'Completed' && failed > 0)
    return 'Failed counts the records that were refused. The client asked for all others to be applied without them.'
  if (entry.status === 'Completed')
    return listDone(entry.counts)[0]?.startsWith('created') === true
      ? 'Updated counts existing employees; created ones are in Total.'
      : null
  if (total === 0) return "The body couldn't be read, so its records weren't counted."
  if (failed > refused)
    return `Failed counts all records: a call applies every record or none.${refused > 0 ? RESEND : ''}`
  return failed < total ? `Failed counts the records with errors. The others were not applied either.${RESEND}` : null
}

const RESEND = ' Fix and send again also sends the others, for as long as they are kept.'

/** Renders links to the entries that a file corrects, and how far files have corrected a failed entry. */
export function renderCorrections({ entry: { corrects } }: LogEntry, correction: Correction | null) {
  return html`${corrects.length !== 0 && html`<p>This file corrects records of ${renderLinks(corrects)}</p>`}
  ${
    correction !== null &&
    html`<p>
          ${isCorrected(correction) ? 'Corrected by' : 'Partly corrected by'} ${renderLinks(correction.by)}.
          ${formatCorrection(correction)}
        </p>`
  }`
}

/**
 * Renders which call an entry took back, which calls took it back, and the links that ask to do so, with the whole file if
 * that is still stored.
 */
export function renderUndoings({ entry }: LogEntry, undoings: readonly Undoing[], uploadId: string | null) {
  const { total, failed, no_updates: unchanged } = entry.counts
  const isUndoable = entry.status === 'Completed' && total > failed + unchanged
  return html`${entry.undoes !== null && html`<p>This undoes ${renderLinks([entry.undoes])}</p>`}
  ${undoings.map(
    ({ id, isWhole, isUndone }) =>
      html`<p>
        ${isWhole ? 'Undone by' : 'Partly undone by'} ${renderEntryLink(id)}${isUndone && ', which was undone itself'}.
      </p>`,
  )}
  ${
    isUndoable &&
    renderActions(
      uploadId !== null && renderButton(`${UPLOAD_PATH}/${uploadId}/undo`, 'Undo the whole file…'),
      renderButton(`${LOGS_PATH}/${entry.id}/undo`, uploadId === null ? 'Undo…' : 'Undo this part…'),
    )
  }`
}

function renderLinks(ids: readonly string[]) {
  return renderJoined(ids.map((id) => renderEntryLink(id)))
}

function renderFile({ name, part }: NonNullable<LogEntry['entry']['file']>) {
  const rows = part
    ? `, rows ${formatNumber(part.first_row)}–${formatNumber(part.last_row)} (part ${part.number} of ${part.of})`
    : ''
  return html`${name === null ? 'erased' : isolate(name)}${rows}`
}

/** Renders the facts of the request. */
export function renderRequest(logEntry: LogEntry, client: Client | null, timeZone: string) {
  const { entry } = logEntry
  const { key } = entry
  return html`<section aria-label="Request">
    ${renderFacts({
      'Date/Time': renderTime(entry.requested_at, timeZone),
      Name: entry.name,
      Operation: rulesOf(entry.operation).label,
      'HTTP status': String(entry.http_status),
      'API error': isAboutRecords(logEntry) && renderApiError(logEntry),
      Duration: html`<span class="unbroken">${formatNumber(entry.duration_ms)} ms</span>`,
      'API key': key && html`${renderNameLink(buildUrl(LOGS_PATH, { key: key.id }), key.name)} ${renderCode(key.id)}`,
      User: !key && isolate(formatCaller(entry)),
      File: entry.file && renderFile(entry.file),
      'Sent from': client && renderClient(client, renderAddressLink(client.address)),
      'Request ID': html`<code id="request-id">${entry.request_id}</code>`,
      'Entry ID': renderId('entry-id', entry.id, 'Copy ID'),
    })}
    <p class="actions">
      <a href="${buildUrl(NAVIGATION.events.path, { id: entry.id, view: 'raw' })}">View raw events</a>
      <a href="${buildUrl(EVIDENCE_PATH, { call: entry.id })}">Evidence file</a>
    </p>
  </section>`
}
