import {
  type LogEntry,
  readLogTime,
  listLogEntries,
  readNewestLogPosition,
  type EntryCount,
  type EntryFilter,
  BULK_USER_LOGS,
} from '#projections/bulk-user-logs/queries'
import { encodeCursor } from '#http/server/query-values'
import { NAVIGATION, buildUrl, REFUSALS, UPLOAD_PATH } from '#wording/navigation'
import { formatNumber, formatAtLeast } from '#wording/numbers'
import { formatTime } from '#domain/local-times'
import {
  renderStatusBadge,
  html,
  type Html,
  isolate,
  renderButton,
  renderDownload,
  renderNothing,
} from '#pages/parts/elements'
import { describeCode } from '#wording/attention-words'
import { COUNTS, describeResult } from '#pages/parts/call-words'
import { assetUrl } from '#pages/assets/assets'
import { buildCreateCommand } from '#pages/api-keys/curl-lines'
import { renderPageLinks } from '#pages/parts/list-pages'
import { formatCaller } from './entry.ts'
import type { LedgerDb } from '#ledger/tables'
import { groupLogEntries } from '#projections/bulk-user-logs/usage-queries'
import { type Reads, readInTime } from '#ledger/read/reads'
import { findFormerPeople, type FormerPerson } from '#pages/parts/former-people'
import { readCommonProgress } from '#ledger/read/read-progress'
import { EMPLOYEES } from '#projections/employees/queries'
import { nameSinglePeople } from '#log/record-people'
import { countInTime } from '#log/log-entries'
import { type PageFilter, type Facets, countFacets } from './filter-bar.ts'

/* What a page of the list shows, read from the log. */

const PAGE_ENTRIES = 50

/** Where a page of the list starts: the positions in its address. */
export interface PagePosition {
  /** Entries older than this one. */
  before: number | null
  /** Entries newer than this one. */
  after: number | null
}

/** The entries of a page. */
interface EntryPage {
  entries: LogEntry[]
  /** The position up to which the log was read; null for a page that receives no new entries. */
  reached: number | null
  /** The positions after which the neighboring pages start; null if there is no such page. */
  newer: number | null
  older: number | null
  /** Set if the search by person ended before the page was full: the way to go on, and the time that it reached. */
  searched: { way: 'newer' | 'older'; time: string } | null
  /** The entries of all pages, if they were counted on the way. */
  counted: EntryCount | null
}

/** The person of each call with one record. */
type People = ReadonlyMap<string, string>

/** A page, and what is said around it. */
export interface EntryList extends EntryPage {
  /** The entries of all pages; null if they could not be counted. */
  count: EntryCount | null
  /** How many entries the values of filters find, and the sums of their counts; null if they were not counted. */
  facets: Facets | null
  /** Whether the log has no entries at all. */
  isEmpty: boolean
  people: People
  /** The people whom the search finds by a former value. */
  former: FormerPerson[]
}

/** Reads what is said around a page. */
export async function readEntryList(
  db: LedgerDb,
  reads: Reads,
  companyId: string,
  filter: EntryFilter,
  page: EntryPage,
) {
  const facets = await readFacets(reads, companyId, filter, page)
  const count = facets?.count ?? (await countEntries(reads, companyId, filter, page))
  const isEmpty = page.entries.length === 0 && (await readNewestLogPosition(db, companyId)) === 0
  const former = filter.q === undefined ? [] : await findFormerPeople(db, companyId, filter.q)
  const people = await nameSinglePeople(db, companyId, page.entries)
  return { ...page, count, facets, isEmpty, people, former }
}

/** Reads the entries of a page, and between which others they are. */
export async function readPage(
  db: LedgerDb,
  companyId: string,
  filter: EntryFilter,
  { before, after }: PagePosition,
): Promise<EntryPage> {
  const limit = PAGE_ENTRIES
  if (after !== null) {
    const { entries, next, isUnfinished } = await listLogEntries(db, companyId, filter, { after, limit })
    return {
      entries: entries.toReversed(),
      reached: null,
      newer: next,
      older: entries[0]?.position ?? after + 1,
      searched: isUnfinished ? { way: 'newer', time: await readLogTime(db, companyId, next!) } : null,
      counted: null,
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
    counted: count,
  }
}

/** Counts the entries of all pages, as far as this page shows the log; null if that takes too long. */
async function countEntries(reads: Reads, companyId: string, filter: EntryFilter, page: EntryPage) {
  const shown = page.entries.length
  if (page.newer === null && page.older === null) return { count: shown, isMore: false }
  const counted = page.counted ?? (await countInTime(reads, companyId, filter, findEnd(page)))
  return counted && counted.count < shown ? { count: shown, isMore: true } : counted
}

/** Counts the entries of the values of filters, as far as this page shows the log; null for a search, or if slow. */
async function readFacets(reads: Reads, companyId: string, filter: EntryFilter, page: EntryPage) {
  if (filter.q !== undefined || filter.employee !== undefined) return null
  const groups = await readInTime(reads, companyId, (db) => groupLogEntries(db, companyId, filter, findEnd(page)))
  return groups && countFacets(groups, filter)
}

/** The last position that a page shows, if newer entries arrive on it by themselves and are added to its counts. */
function findEnd({ entries, reached }: EntryPage) {
  return reached === null ? null : Math.max(reached, entries[0]?.position ?? 0)
}

/**
 * Reads the position up to which the filter's result is complete: a search by name also needs the employees projection,
 * which may be behind.
 */
export async function readReached(db: LedgerDb, companyId: string, { employee, q }: EntryFilter) {
  if (employee === undefined && q === undefined) return readNewestLogPosition(db, companyId)
  return readCommonProgress(db, companyId, [BULK_USER_LOGS, EMPLOYEES])
}

/** Renders a row for each entry. The whole row is its link. */
function renderEntryRows(entries: LogEntry[], people: People, timeZone: string) {
  return entries.map(({ entry, position }) => {
    const { id, requested_at: at, counts, error } = entry
    const caller = formatCaller(entry)
    const result = describeResult(entry)
    const cause = error === null ? undefined : describeCode(error.code)
    const time = formatTime(at, timeZone)
    const person = people.get(id)
    const name = [result, cause, person, caller, time].filter((part) => part !== undefined).join(', ')
    const title = error === null ? result : `${result}: ${error.detail} (${error.code})`
    const asked = html`<span class="asked">${result}: </span><span class="cause">${cause}</span>`
    const cells = COUNTS.map(([name, label]) => {
      const style = counts[name] === 0 ? 'none' : ''
      return html`<td class="number ${style}" data-label="${label}">${formatNumber(counts[name])}</td>`
    })
    return html`<tr data-id="${id}" data-cursor="${encodeCursor(position)}">
      <td class="when"><time datetime="${at}" title="${time}">${renderShortTime(time)}</time></td>
      <td class="status" data-label="Status">${renderStatusBadge(entry.status)}</td>
      <th scope="row" class="result">
        <a href="${NAVIGATION.bulkUserLogs.path}/${id}" aria-label="${name}" title="${title}"
          >${cause === undefined ? result : asked}${person !== undefined && html`<span class="whose"> · ${isolate(person)}</span>`}</a
        >
      </th>
      <td class="source">${entry.name}</td>
      <td class="caller" title="${caller}">${isolate(caller)}</td>
      ${cells}
    </tr>`
  })
}

/** The lengths of the parts of `20 Nov 2026, 14:05:09`, from its end. */
const [YEAR_AT, TIME_AT, SECONDS_AT] = [-15, -10, -3]

/** Renders a formatted time without its zone, with marks on what narrow pages leave out. */
function renderShortTime(time: string) {
  const text = time.split(' ').slice(0, 4).join(' ')
  return html`${text.slice(0, YEAR_AT)}<span class="year">${text.slice(YEAR_AT, TIME_AT)}</span
    >${text.slice(TIME_AT, SECONDS_AT)}<span class="seconds">${text.slice(SECONDS_AT)}</span>`
}

export const LOGS_PATH = NAVIGATION.bulkUserLogs.path
export const ROWS_PATH = `${LOGS_PATH}/rows`
const CSV_PATH = '/admin/v1/bulk-user-logs.csv'
const FAILED_RECORDS_PATH = '/admin/v1/bulk-user-logs/failed-records.csv'
const STREAM_PATH = '/admin/v1/bulk-user-logs/stream'

/** What a page of the list shows. */
interface ListPage extends EntryList {
  filter: PageFilter
  timeZone: string
  /** Shown when there are no entries. */
  whenNone: Html
}

/** Renders the page: its head, the filter bar, and the entries; the first page receives new entries live. */
export function renderLogPage(bar: Html, page: ListPage) {
  const { filter, entries, reached, searched } = page
  const { given } = filter
  const isNone = entries.length === 0
  const place = (name: string, position: number | null) =>
    position === null ? null : buildUrl(LOGS_PATH, { ...given, [name]: encodeCursor(position) })
  const urlOf = (path: string) => buildUrl(path, { ...filter.filter })
  const label = (way: 'newer' | 'older', name: string) => (searched?.way === way ? 'Search further' : name)
  return html`<div class="log" ${reached !== null && renderLiveAttributes(filter, reached)}>
      ${renderHead(
        html`${reached !== null && renderLiveBar()}
          ${renderButton(UPLOAD_PATH, 'Upload file')}
          ${renderButton(REFUSALS.path, REFUSALS.label)}
          ${renderDownload(urlOf(FAILED_RECORDS_PATH), 'Download failed records')}
          ${renderDownload(urlOf(CSV_PATH), 'Download list')}`,
        renderCount(page),
      )}
      ${bar}
      ${isNone ? html`<div ${reached !== null && html`data-live-none`}>${page.whenNone}</div>` : NONE_YET}
      <section aria-label="Entries">
        <table class="cards entries" ${isNone && html`hidden`}>
          <caption class="visually-hidden">
            Entries, newest first
          </caption>
          <thead>
            <tr>
              <th scope="col" class="when">Date/Time ${page.timeZone}</th>
              <th scope="col">Status</th>
              <th scope="col">Result</th>
              <th scope="col" class="source">Name</th>
              <th scope="col">By</th>
              ${COUNTS.map(([, name]) => html`<th scope="col" class="number none" data-label="${name}">${name}</th>`)}
            </tr>
          </thead>
          <tbody>
            ${renderEntryRows(entries, page.people, page.timeZone)}
          </tbody>
          ${renderTotals(page)}
        </table>
        ${searched && renderSearched(searched, page.timeZone)}
        ${renderPageLinks([
          { label: 'Newest', rel: 'first', href: page.newer === null ? null : buildUrl(LOGS_PATH, given) },
          { label: label('newer', 'Newer'), rel: 'prev', href: place('after', page.newer) },
          { label: label('older', 'Older'), rel: 'next', href: place('cursor', page.older) },
        ])}
      </section>
    </div>
    ${reached !== null && html`<script src="${assetUrl('live-log.js')}" type="module"></script>`}`
}

const NONE_YET = html`<div data-live-none hidden></div>`

/** Renders how many entries match. The script adds those that arrive. */
function renderCount({ count: counted, filter }: ListPage) {
  if (counted === null) return html``
  const { count, isMore } = counted
  const isFiltered = Object.keys(filter.given).length > 0
  const [one, many] = isFiltered ? ['entry matches', 'entries match'] : ['entry', 'entries']
  const shown = `${formatAtLeast(count, isMore)} ${count === 1 && !isMore ? one : many}`
  return html`<p
    class="hint entry-count"
    ${!isMore && html`data-live-count="${count}" data-one="${one}" data-many="${many}"`}
    ${count === 0 && html`hidden`}
  >
    ${shown}
  </p>`
}

/** Renders the sums of the counts of all pages. The script adds those of entries that arrive. */
function renderTotals({ facets }: ListPage) {
  if (facets === null) return html``
  const { totals: sums, isMore } = facets
  return html`<tfoot>
    <tr>
      <td class="when"></td>
      <td class="status"></td>
      <th scope="row" class="result">All pages</th>
      <td class="source"></td>
      <td class="caller"></td>
      ${COUNTS.map(([name, label]) => {
        const sum = sums[name]
        const live = !isMore && html`data-live-sum="${sum}"`
        return html`<td class="number ${sum === 0 && 'none'}" data-label="${label}" ${live}>
          ${formatAtLeast(sum, isMore)}
        </td>`
      })}
    </tr>
  </tfoot>`
}

/** Renders the heading, with the number of entries and tools beside it. */
export function renderHead(tools: Html, count = html``) {
  return html`<div class="tools log-head">
    <h1>Bulk User Logs</h1>
    ${count}
    <p class="hint about-log">Every call and file upload.</p>
    <div class="tools">${tools}</div>
  </div>`
}

function renderSearched({ way, time }: NonNullable<EntryList['searched']>, timeZone: string) {
  return html`<p class="hint" role="status">
    Searched ${way === 'older' ? 'back' : 'forward'} to <time datetime="${time}">${formatTime(time, timeZone)}</time>.
    There may be more matching entries.
  </p>`
}

function renderLiveAttributes({ given }: PageFilter, reached: number) {
  return html`data-live data-cursor="${encodeCursor(reached)}" data-stream="${STREAM_PATH}"
  data-rows="${buildUrl(ROWS_PATH, given)}"`
}

/** Shown by the script. The live region announces the number of waiting entries. */
function renderLiveBar() {
  return html`<div class="tools" data-live-bar hidden>
    <button type="button" data-live-pause>Pause</button>
    <span class="badge" data-live-status>Connecting</span>
    <button type="button" class="arrivals" data-live-waiting hidden></button>
    <a data-live-sign-in hidden href="${LOGS_PATH}">Sign in again</a>
    <p class="visually-hidden" role="status" aria-live="polite" data-live-announcement></p>
  </div>`
}

/** Renders what the script fetches: rows, and the position up to which the log was read. */
export function renderRowsFragment(
  { entries, people, timeZone }: { entries: LogEntry[]; people: People; timeZone: string },
  reached: number,
  hasMore: boolean,
) {
  return html`<table>
    <tbody data-cursor="${encodeCursor(reached)}" ${hasMore && html`data-more`}>
      ${renderEntryRows(entries, people, timeZone)}
    </tbody>
  </table>`
}

/** Shows the way from a key to the first entry, for a company without entries. */
export function renderFirstCall(baseUrl: string, apiId: string | null) {
  const { path } = NAVIGATION.apiKeys
  const other = apiId !== null && html`, or use the secret of a <a href="${path}/${apiId}">key that you have</a>`
  return html`<div class="empty">
    <h2>No calls yet</h2>
    <p>Every API call that creates or updates employees is listed here, whether it succeeds or fails.</p>
    <ol>
      <li>
        <a href="${path}/new">Create an API key</a>${other}. The secret is shown once.
      </li>
      <li>
        Make the first call, with the secret in place of <code>YOUR_API_KEY</code>:
        <pre id="first-call">${buildCreateCommand(baseUrl, apiId === null ? {} : { id: apiId })}</pre>
        <button type="button" data-copy="#first-call" hidden>Copy</button>
      </li>
      <li>Its entry appears on this page. Open it to see what the call did.</li>
    </ol>
    <p>To create employees without a program, <a href="${UPLOAD_PATH}">upload a file</a>.</p>
  </div>`
}

/** Shown when no entry matches the filters. */
export function renderNoMatch() {
  return renderNothing('No matching entries', html`<a href="${LOGS_PATH}">Clear the filters</a> to see all entries.`)
}
