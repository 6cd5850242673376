import type { LogEntry } from '#projections/bulk-user-logs/queries'
import { encodeCursor } from '#http/server/query-values'
import { buildUrl, NAVIGATION, REFUSALS, UPLOAD_PATH } from '#wording/navigation'
import { assetUrl } from '../assets/assets.ts'
import type { PageFilter } from './filter.ts'
import { COUNTS } from '../parts/call-words.ts'
import { renderEntryRows } from './list-rows.ts'
import type { EntryList } from './read-list.ts'
import { buildCreateCommand } from '../api-keys/curl-lines.ts'
import { html, type Html } from '../parts/html.ts'
import { renderPageLinks } from '../parts/list-pages.ts'
import { formatAtLeast } from '#wording/numbers'
import { formatTime } from '#domain/local-times'

export const LOGS_PATH = NAVIGATION.bulkUserLogs.path
export const ROWS_PATH = `${LOGS_PATH}/rows`
const CSV_PATH = '/admin/v1/bulk-user-logs.csv'
const FAILED_RECORDS_PATH = '/admin/v1/bulk-user-logs/failed-records.csv'
const STREAM_PATH = '/admin/v1/bulk-user-logs/stream'

/** What a page of the list shows. */
export interface ListPage extends EntryList {
  filter: PageFilter
  timeZone: string
  /** Shown when there are no entries. */
  whenNone: Html
}

/** Renders the page: its head, the filter bar, and the entries; the first page receives new entries live. */
export function renderLogPage(bar: Html, page: ListPage): Html {
  const { filter, entries, reached, searched } = page
  const { given } = filter
  const isNone = entries.length === 0
  const place = (name: string, position: number | null) =>
    position === null ? null : buildUrl(LOGS_PATH, { ...given, [name]: encodeCursor(position) })
  const label = (way: 'newer' | 'older', name: string) => (searched?.way === way ? 'Search further' : name)
  return html`<div class="log" ${reached !== null && renderLiveAttributes(filter, reached)}>
      ${renderHead(
        html`${reached !== null && renderLiveBar()}
          <a class="button" href="${UPLOAD_PATH}">Upload file</a>
          <a class="button" href="${REFUSALS.path}">${REFUSALS.label}</a>
          <a class="button" href="${buildUrl(FAILED_RECORDS_PATH, { ...filter.filter })}" download>Download failed records</a>
          <a class="button" href="${buildUrl(CSV_PATH, { ...filter.filter })}" download>Download list</a>`,
        renderCount(page),
      )}
      ${bar}
      ${isNone ? html`<div ${reached !== null && html`data-live-none`}>${page.whenNone}</div>` : html`<div data-live-none hidden></div>`}
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
              ${COUNTS.map(([, label]) => html`<th scope="col" class="number none" data-label="${label}">${label}</th>`)}
            </tr>
          </thead>
          <tbody>
            ${renderEntryRows(entries, page.timeZone)}
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

/** Renders how many entries match. The script adds those that arrive. */
function renderCount({ count: counted, filter }: ListPage): Html {
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
function renderTotals({ facets }: ListPage): Html {
  if (facets === null) return html``
  const { totals: sums, isMore } = facets
  return html`<tfoot>
    <tr>
      <td class="when"></td>
      <td class="status"></td>
      <th scope="row" class="result">All pages</th>
      <td class="source"></td>
      <td class="caller"></td>
      ${COUNTS.map(([name, label]) => html`<td class="number ${sums[name] === 0 && 'none'}" data-label="${label}" ${!isMore && html`data-live-sum="${sums[name]}"`}>${formatAtLeast(sums[name], isMore)}</td>`)}
    </tr>
  </tfoot>`
}

/** Renders the heading, with the number of entries and tools beside it. */
export function renderHead(tools: Html, count = html``): Html {
  return html`<div class="tools log-head">
    <h1>Bulk User Logs</h1>
    ${count}
    <p class="hint about-log">Every call and file upload.</p>
    <div class="tools">${tools}</div>
  </div>`
}

function renderSearched({ way, time }: NonNullable<EntryList['searched']>, timeZone: string): Html {
  return html`<p class="hint" role="status">
    Searched ${way === 'older' ? 'back' : 'forward'} to <time datetime="${time}">${formatTime(time, timeZone)}</time>.
    There may be more matching entries.
  </p>`
}

function renderLiveAttributes({ given }: PageFilter, reached: number): Html {
  return html`data-live data-cursor="${encodeCursor(reached)}" data-stream="${STREAM_PATH}"
  data-rows="${buildUrl(ROWS_PATH, given)}"`
}

/** Shown by the script. The live region announces the number of waiting entries. */
function renderLiveBar(): Html {
  return html`<div class="tools" data-live-bar hidden>
    <button type="button" data-live-pause>Pause</button>
    <span class="badge" data-live-status>Connecting</span>
    <button type="button" class="arrivals" data-live-waiting hidden></button>
    <a data-live-sign-in hidden href="${LOGS_PATH}">Sign in again</a>
    <p class="visually-hidden" role="status" aria-live="polite" data-live-announcement></p>
  </div>`
}

/** Renders what the script fetches: rows, and the position up to which the log was read. */
export function renderRowsFragment(entries: LogEntry[], timeZone: string, reached: number, hasMore: boolean): Html {
  return html`<table>
    <tbody data-cursor="${encodeCursor(reached)}" ${hasMore && html`data-more`}>
      ${renderEntryRows(entries, timeZone)}
    </tbody>
  </table>`
}

/** Shows the way from a key to the first entry, for a company without entries. */
export function renderFirstCall(baseUrl: string, apiId: string | null): Html {
  const { path } = NAVIGATION.apiKeys
  return html`<div class="empty">
    <h2>No calls yet</h2>
    <p>Every API call that creates or updates employees is listed here, whether it succeeds or fails.</p>
    <ol>
      <li>
        <a href="${path}/new">Create an API key</a>${apiId !== null && html`, or use the secret of a <a href="${path}/${apiId}">key that you have</a>`}. The secret is shown once.
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
export function renderNoMatch(): Html {
  return html`<div class="empty">
    <h2>No matching entries</h2>
    <p><a href="${LOGS_PATH}">Clear the filters</a> to see all entries.</p>
  </div>`
}
