import { sentAgainBy } from '#domain/call-sources'
import type { LogEntry } from '#projections/bulk-user-logs/queries'
import type { Cause, Refusals, OutcomeFilter, RecordFilter } from '#projections/bulk-user-logs/records-queries'
import { buildUrl, type QueryValues } from '#wording/navigation'
import { formatNumber } from '#wording/numbers'
import type { DetailedRecord } from '#log/refused-records'
import { encodeCursor } from '#http/server/query-values'
import {
  html,
  isolate,
  renderButton,
  renderEmpty,
  renderHint,
  renderAlert,
  renderDownload,
} from '#pages/parts/elements'
import { renderField, type FormFields, type FormProblem, renderHidden } from '#pages/parts/form'
import { renderPageLinks } from '#pages/parts/list-pages'
import { buildEntryUrl, type OutcomeCounts } from './entry.ts'
import { renderRecordTable } from './records.ts'
import { describeCause } from '#pages/parts/call-words'

/** Further causes are collapsed. */
const SHOWN = 5

/** The value of the `error` filter for a cause. */
function formatCause({ code, pointer }: Pick<Cause, 'code' | 'pointer'>) {
  return `${code}:${pointer}`
}

type Download = 'records.csv' | 'failed-records.csv' | 'failed-records.json'

/** Builds the address of a download of an entry's records. */
function buildDownloadUrl({ entry }: LogEntry, file: Download, filter: QueryValues) {
  return buildUrl(`/admin/v1/bulk-user-logs/${entry.id}/${file}`, filter)
}

/**
 * Renders why records were refused, most frequent first. Each cause is a filter and has downloads. A chosen one stays in
 * view.
 */
export function renderCauses(entry: LogEntry, { causes, hasMore, isPartial }: Refusals, chosen: string | undefined) {
  if (causes.length === 0) return html``
  const isShown = (cause: Cause, at: number) => at < SHOWN || formatCause(cause) === chosen
  const list = (some: Cause[]) =>
    html`<ul class="causes cluster" aria-label="Causes">
      ${some.map((cause) => renderCause(entry, cause, formatCause(cause) === chosen))}
    </ul>`
  const further = causes.filter((cause, at) => !isShown(cause, at))
  const count = `${formatNumber(further.length)}${hasMore ? ' or more' : ''}`
  return html`<div id="causes">
    ${isPartial && renderHint('The call has so many errors that only the first were counted.')}
    ${list(causes.filter(isShown))}
    ${
      further.length !== 0 &&
      html`<details class="further">
            <summary>${count} further ${further.length === 1 && !hasMore ? 'cause' : 'causes'}</summary>
            ${list(further)}
          </details>`
    }
  </div>`
}

function renderCause(entry: LogEntry, cause: Cause, isChosen: boolean) {
  const error = formatCause(cause)
  const words = describeCause(cause)
  const filtered = `${buildUrl(buildEntryUrl(entry), { error })}#causes`
  const renderDownload = (file: Download, format: string) =>
    html`<a href="${buildDownloadUrl(entry, file, { error })}" download
      >${format}<span class="visually-hidden">: ${words}</span></a
    >`
  return html`<li>
    <span class="unbroken">${formatNumber(cause.records)} ×</span>
    <a href="${filtered}" ${isChosen && html`aria-current="true"`}>${words}</a>
    ${
      sentAgainBy(entry.entry.name) === null &&
      html`<span class="unbroken"
        >${renderDownload('failed-records.csv', 'CSV')} ${renderDownload('failed-records.json', 'JSON')}</span
      >`
    }
  </li>`
}

/** The first one is the default. */
export const PAGE_SIZES = ['50', '100', '200']

/** The part of an entry's records that a page was asked for. */
export interface RecordQuery {
  given: FormFields
  /** The outcomes that are shown: those that were asked for, or those that the entry opens on. */
  shown: string
  /** Null when the query is not valid. */
  filter: RecordFilter | null
  problem: FormProblem
  limit: number
  cursor: string | undefined
  before: string | undefined
}

interface RecordPage {
  records: DetailedRecord[]
  hasPrevious: boolean
  hasNext: boolean
}

interface RecordSection {
  entry: LogEntry
  outcomes: OutcomeCounts
  /** Null for a call that refused no record. */
  refusals: Refusals | null
  query: RecordQuery
  /** Null when the query is not valid. */
  page: RecordPage | null
}

/** Renders the records of an entry with their filters and downloads. */
export function renderRecords({ entry, outcomes, refusals, query, page }: RecordSection) {
  return html`<section aria-labelledby="records">
    <div class="tools">
      <h2 id="records" class="visually-hidden">Records</h2>
      ${renderOutcomeFilter(entry, outcomes, query)} ${renderChosenCause(entry, refusals, query)}
      ${renderSearch(entry, query)} ${renderDownloads(entry, refusals, query)}
    </div>
    ${page ? renderList(entry, query, page) : renderInvalid(entry, query)}
    ${refusals && renderMissing((outcomes.get('Failed') ?? 0) - refusals.kept)}
  </section>`
}

/** The choice of all records. */
export const ALL = 'All'

/**
 * The outcomes that an entry opens on: all; or, if they might get lost among others on several pages, those that were
 * refused, or those that changed something.
 */
export function chooseOutcomes(outcomes: OutcomeCounts): OutcomeFilter | typeof ALL {
  const { total, changed } = countChanged(outcomes)
  if (outcomes.has('Failed') && outcomes.size > 1 && total > Number(PAGE_SIZES[0])) return 'Failed'
  if (changed === 0 || changed === total || total <= Number(PAGE_SIZES[0])) return ALL
  const [one, ...further] = [...outcomes.keys()].filter((outcome) => outcome !== 'No Updates')
  return further.length === 0 ? one! : 'Changed'
}

function countChanged(outcomes: OutcomeCounts) {
  const total = [...outcomes.values()].reduce((sum, count) => sum + count, 0)
  return { total, changed: total - (outcomes.get('No Updates') ?? 0) - (outcomes.get('Failed') ?? 0) }
}

/** Renders the outcomes of a call's records as filters, if they differ. */
function renderOutcomeFilter(entry: LogEntry, outcomes: OutcomeCounts, { given, shown }: RecordQuery) {
  if (outcomes.size < 2) return html``
  const { total, changed } = countChanged(outcomes)
  const isChanged = outcomes.size > 2 && changed < total
  const choices: [status: string, count: number][] = [
    [ALL, total],
    ...(isChanged ? [['Changed', changed] as [string, number]] : []),
    ...outcomes,
  ]
  return html`<ul class="cluster" aria-label="Outcomes">
    ${choices.map(
      ([status, count]) =>
        html`<li>
          <a
            href="${buildUrl(buildEntryUrl(entry), { ...given, status })}#records"
            ${status === shown && html`aria-current="true"`}
            >${status} <span class="unbroken">${formatNumber(count)}</span></a
          >
        </li>`,
    )}
  </ul>`
}

/** Renders the chosen cause with a link that removes the filter. */
function renderChosenCause(entry: LogEntry, refusals: Refusals | null, { given }: RecordQuery) {
  const { error = '' } = given
  if (error === '') return html``
  const cause = refusals?.causes.find((candidate) => formatCause(candidate) === error)
  const all = `${buildUrl(buildEntryUrl(entry), { ...given, error: '' })}#causes`
  return html`<span class="chip chosen"
    >${isolate(cause ? describeCause(cause) : error)}
    <a href="${all}" aria-label="Remove this filter">×</a></span
  >`
}

function renderSearch(entry: LogEntry, { given, problem }: RecordQuery) {
  const kept = (['status', 'error', 'limit'] as const).filter((name) => given[name] !== '')
  const person = { name: 'q', label: 'Person', placeholder: 'Person', isRequired: false, maxLength: 254 }
  return html`<form method="get" action="${buildEntryUrl(entry)}#records" class="tools" role="search">
    ${kept.map((name) => renderHidden(name, given[name] ?? ''))}
    ${renderField({ ...person, value: given['q']! }, problem)}
    <button>Search</button>
    ${given['q'] !== '' && html`<a href="${buildUrl(buildEntryUrl(entry), { ...given, q: '' })}#records">Clear</a>`}
  </form>`
}

function renderDownloads(entry: LogEntry, refusals: Refusals | null, { given, shown, filter }: RecordQuery) {
  const { q = '', error = '' } = filter ? given : {}
  const status = filter && shown !== ALL ? shown : ''
  const json = buildDownloadUrl(entry, 'failed-records.json', { q, error })
  const isOfRefused = entry.entry.status === 'Failed' || status === 'Failed'
  const csv = isOfRefused
    ? buildDownloadUrl(entry, 'failed-records.csv', { q, error })
    : buildDownloadUrl(entry, 'records.csv', { status, q, error })
  const sender = sentAgainBy(entry.entry.name)
  const fix =
    sender === null
      ? renderButton(`${buildEntryUrl(entry)}/fix`, 'Fix and send again', 'primary')
      : html`<span class="hint">Correct it in ${sender}, which sends it again.</span>`
  const ofKept = html`${fix}
    ${renderDownload(json, 'Download failed records as JSON')}`
  return html`<p class="tools">
    ${refusals !== null && refusals.kept !== 0 && ofKept}
    ${
      !(sender !== null && isOfRefused) &&
      renderDownload(csv, isOfRefused ? 'Download failed records' : 'Download records')
    }
  </p>`
}

function renderMissing(count: number) {
  if (count === 0) return html``
  const [records, they] = count === 1 ? ['record is', 'it was'] : ['records are', 'they were']
  return renderHint(
    html`${formatNumber(count)} failed ${records} not in the JSON: ${they} erased or too large to keep.`,
  )
}

function renderInvalid(entry: LogEntry, { problem }: RecordQuery) {
  const messages = problem!.errors.map(({ message }) => message).join('; ')
  return renderAlert(
    html`This filter is not valid: ${messages || problem!.detail}.
      <a href="${buildEntryUrl(entry)}#records">Show all records</a>`,
  )
}

const NUMBERING = html`<p class="hint">
  Records are numbered from 1; their <code>index</code> in API responses begins with 0. Names and emails are current.
</p>`

function renderList(entry: LogEntry, { given }: RecordQuery, { records, hasPrevious, hasNext }: RecordPage) {
  if (records.length === 0)
    return renderEmpty(
      html`No matching records. <a href="${buildEntryUrl(entry)}#records">Clear the filters</a> to see all records.`,
    )
  const address = (values: Record<string, string>) =>
    `${buildUrl(buildEntryUrl(entry), { ...given, ...values })}#records`
  const place = ({ row }: DetailedRecord) => encodeCursor(row.index ?? 0)
  const sizes = PAGE_SIZES.map((size, at) => {
    const limit = at === 0 ? '' : size
    const current = limit === given['limit'] ? html`aria-current="true"` : ''
    return html`<a href="${address({ limit })}" ${current}>${size}</a> `
  })
  return html`${renderRecordTable(entry, records)}
    <div class="cluster">
      ${renderPageLinks([
        { label: 'Previous', rel: 'prev', href: hasPrevious ? address({ before: place(records[0]!) }) : null },
        { label: 'Next', rel: 'next', href: hasNext ? address({ cursor: place(records.at(-1)!) }) : null },
      ])}
      <p class="hint">Records per page: ${sizes}</p>
    </div>
    ${NUMBERING}`
}
