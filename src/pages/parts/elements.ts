import { html as write, raw } from 'hono/html'
import { inTurns } from '#admission/turns'
import { type Employee, formatFullName } from '#domain/employees/employee'
import { buildEmployeeUrl, NAVIGATION, buildUrl } from '#wording/navigation'
import type { Client } from '#domain/call-sources'
import { formatTime } from '#domain/local-times'
import { databaseTime, databaseTimeMs } from '#postgres/database-clock'
import { formatNumber, formatAge } from '#wording/numbers'

/* The language of pages: a tag that escapes every value, and writes nothing for `false`, `null`, and `undefined`. */

export { raw }

/** What the tag makes. */
export type Html = ReturnType<typeof write>

/** Writes HTML: `html`<p>${text}</p>``. */
export function html(strings: TemplateStringsArray, ...values: unknown[]) {
  const written = write(strings, ...values)
  // Its error reaches whoever sends the page, who may still be waiting for something else.
  if (written instanceof Promise) written.catch(() => {})
  return written
}

/** Renders items, with a turn of the event loop for everything else whenever that has taken long. */
export function renderEach<Item>(items: Iterable<Item>, render: (item: Item) => Html) {
  return html`${renderInTurns(items, render)}`
}

async function renderInTurns<Item>(items: Iterable<Item>, render: (item: Item) => Html) {
  const parts: Html[] = []
  for await (const item of inTurns(items)) parts.push(await render(item))
  return html`${parts}`
}

/** Renders a text isolated from the surrounding writing direction, such as a name. */
export function isolate(text: Html | Html[] | string | null | undefined) {
  return html`<bdi>${text}</bdi>`
}

/** Renders a text as code, such as an id. */
export function renderCode(text: Html | string | null | undefined) {
  return html`<code>${text}</code>`
}

/** Renders a text in which some parts stand between backticks. */
export function renderMarked(text: string, render: (part: string) => Html = renderCode) {
  return text.split('`').map((part, at) => (at % 2 === 1 ? render(part) : html`${part}`))
}

/** Renders a link whose text is a name, isolated from the surrounding writing direction. */
export function renderNameLink(href: string, name: string | null) {
  return html`<a href="${href}"><bdi>${name}</bdi></a>`
}

/** Renders a link that looks like a button. */
export function renderButton(href: string, label: Html | string, kind: 'primary' | 'danger' | '' = '') {
  return html`<a class="${kind === '' ? 'button' : `button ${kind}`}" href="${href}">${label}</a>`
}

/** Renders links and buttons in a line. */
export function renderActions(...actions: readonly (Html | false)[]) {
  return html`<p class="actions">${actions}</p>`
}

/** Renders a text that explains what stands beside it. */
export function renderHint(text: Html | string) {
  return html`<p class="hint">${text}</p>`
}

/** Renders what has to be known before something is done. */
export function renderWarning(text: Html | string) {
  return html`<p class="warning">${text}</p>`
}

/** Renders what is wrong, or may be, for everybody to notice. */
export function renderAlert(text: Html | string) {
  return html`<p class="alert" role="alert">${text}</p>`
}

/** Renders a link to a file, as a button. */
export function renderDownload(href: string, label: string) {
  return html`<a class="button" href="${href}" download>${label}</a>`
}

/** Renders why there is nothing yet, or nothing that matches, and what to do. */
export function renderNothing(heading: string, text: Html | string, action: Html | string = '') {
  return html`<div class="empty">
    <h2>${heading}</h2>
    <p>${text}</p>
    ${action}
  </div>`
}

/** Renders what stands in the place of a list that has nothing. */
export function renderEmpty(text: Html | string) {
  return html`<p class="empty">${text}</p>`
}

/** Renders texts in a line, with commas between them. */
export function renderJoined(parts: readonly (Html | string)[], between = ', ') {
  return html`${parts.map((part, at) => html`${at > 0 && between}${part}`)}`
}

/** Renders a link to a question about a thing, such as whether to remove it; only screen readers need its name. */
export function renderQuestionLink(href: string, verb: string, name: string | null) {
  const of = html`<span class="visually-hidden"> <bdi>${name}</bdi></span>`
  return html`<a class="unbroken" href="${href}">${verb}${of}…</a>`
}

/** Renders a link to an employee, by the current name. */
export function renderEmployeeLink(employee: Pick<Employee, 'id' | 'first_name' | 'last_name'>) {
  return renderNameLink(buildEmployeeUrl(employee.id), formatFullName(employee))
}

/** Renders a link to an entry of Bulk User Logs, by its id. */
export function renderEntryLink(id: string) {
  return html`<a href="${NAVIGATION.bulkUserLogs.path}/${id}"><code>${id}</code></a>`
}

/** Renders a filter that is set, as a link that removes it. */
export function renderChip(without: string, label: Html | string) {
  return html`<li>
    <a class="chip" href="${without}"
      ><span class="visually-hidden">Remove filter: </span>${label} <span aria-hidden="true">×</span></a
    >
  </li>`
}

/** One of several views of a page. */
interface Segment {
  label: Html | string
  href: string
  isChosen: boolean
}

/** Renders links to the views of a page side by side, of which one is chosen. */
export function renderSegments(label: string, segments: readonly Segment[]) {
  return html`<nav class="tools" aria-label="${label}">${segments.map(renderSegment)}</nav>`
}

/** Renders one of them. */
export function renderSegment({ label, href, isChosen }: Segment) {
  return html`<a class="button" href="${href}" ${isChosen && html`aria-current="true"`}>${label}</a>`
}

/** Renders an address as a link to all calls from it, for administrators. */
export function renderAddressLink(address: string) {
  return html`<a href="${buildUrl(NAVIGATION.bulkUserLogs.path, { q: address })}">${address}</a>`
}

/** Renders from where something was sent: the address, and the program. */
export function renderClient({ address, userAgent }: Client, link: Html = html`${address}`) {
  return html`${link}${userAgent !== null && html`<div class="hint"><bdi>${userAgent}</bdi></div>`}`
}

type Tone = 'good' | 'warn' | 'bad' | 'plain'

const TICK = html`<path d="M3 8.5 6.5 12 13 4.5" />`
const CROSS = html`<path d="M4 4l8 8M12 4l-8 8" />`
const DASH = html`<path d="M3 8h10" />`
const PLUS = html`<path d="M8 3v10M3 8h10" />`
const TURN = html`<path d="M13 8a5 5 0 1 1-1.6-3.7M12 1.5v3.2H8.8" />`
const BAR = html`<circle cx="8" cy="8" r="5.5" /><path d="M4.3 11.7l7.4-7.4" />`
const MARK = html`<path d="M8 2.5v7M8 12.2v1.6" />`

const SIGNS: Record<Tone, Html> = { good: TICK, warn: MARK, bad: CROSS, plain: DASH }

/** Renders a status as a word, with an icon and a color of the same meaning. */
export function renderBadge(tone: Tone, word: string, sign: Html = SIGNS[tone]) {
  return html`<span class="badge ${tone}"
    ><svg viewBox="0 0 16 16" fill="none" stroke="currentColor" stroke-width="2" aria-hidden="true">${sign}</svg
    >${word}</span
  >`
}

/** Statuses of entries and employees, and outcomes of records, each with its own icon. */
const STATUSES = {
  Completed: renderBadge('good', 'Completed'),
  Failed: renderBadge('bad', 'Failed'),
  Created: renderBadge('good', 'Created', PLUS),
  Synced: renderBadge('good', 'Synced'),
  Reactivated: renderBadge('good', 'Reactivated', TURN),
  Deactivated: renderBadge('warn', 'Deactivated', BAR),
  'No Updates': renderBadge('plain', 'No Updates'),
  active: renderBadge('good', 'Active'),
  inactive: renderBadge('warn', 'Inactive'),
}

/** Renders the status of an entry or an employee, or the outcome of a record. */
export function renderStatusBadge(status: keyof typeof STATUSES) {
  return STATUSES[status]
}

/*
 * How pages show a time, an RFC 3339 instant, in the company's time zone:
 * - how long ago or ahead it is, such as `2 hours ago`, with the full time on hover and focus (`renderTime`);
 * - a day, such as `1 Dec`, if the hour does not matter, with the same (`renderDay`);
 * - in full, such as `20 Nov 2026, 14:05:09 CET`, in lists of calls and events, and within sentences (`formatTime`).
 * A day has its year if that is not the present one.
 */

/** Renders how long ago or ahead an instant is. */
export function renderTime(instant: string, timeZone: string) {
  return renderFocusable(instant, timeZone, renderAge(instant))
}

/** Renders how long ago an instant was; `never` if it is null. */
export function renderTimeOrNever(instant: string | null, timeZone: string) {
  return instant === null ? html`never` : renderTime(instant, timeZone)
}

/** Renders a link that says how long ago an instant was. The link shows the full time, so that Tab stops once. */
export function renderTimeLink(href: string, instant: string, timeZone: string) {
  return renderLink(href, instant, timeZone, renderAge(instant))
}

/** Renders the day of an instant. */
export function renderDay(instant: string, timeZone: string) {
  return renderFocusable(instant, timeZone, html`${formatDay(instant, timeZone)}`)
}

/** Renders a link that says the day of an instant, and shows the full time. */
export function renderDayLink(href: string, instant: string, timeZone: string) {
  return renderLink(href, instant, timeZone, html`${formatDay(instant, timeZone)}`)
}

/** Formats a day of the calendar, YYYY-MM-DD, in the same way. */
export function formatCalendarDay(day: string) {
  return formatDay(`${day}T00:00:00Z`, 'UTC')
}

/** Formats the day of an instant. */
export function formatDay(instant: string, timeZone: string) {
  const dateOf = (time: string) => formatTime(time, timeZone).split(',')[0]!
  const [day, month, year] = dateOf(instant).split(' ')
  return dateOf(databaseTime()).endsWith(` ${year}`) ? `${day} ${month}` : `${day} ${month} ${year}`
}

function renderFocusable(instant: string, timeZone: string, shown: Html) {
  return html`<time datetime="${instant}" tabindex="0">${shown}${renderFullTime(instant, timeZone)}</time>`
}

function renderLink(href: string, instant: string, timeZone: string, shown: Html) {
  return html`<a href="${href}"><time datetime="${instant}">${shown}${renderFullTime(instant, timeZone)}</time></a>`
}

function renderAge(instant: string) {
  return html`<span data-since="${instant}">${formatAge(Date.parse(instant), databaseTimeMs())}</span>`
}

function renderFullTime(instant: string, timeZone: string) {
  return html`<span class="when-full"> ${formatTime(instant, timeZone)}</span>`
}

/** Renders what is known about a thing, as names and values; a name without a value is left out. */
export function renderFacts(facts: Readonly<Record<string, Html | string | false | null>>) {
  return html`<dl class="facts">
    ${Object.entries(facts).map(
      ([label, value]) =>
        value !== false &&
        value !== null &&
        html`<dt>${label}</dt>
          <dd>${value}</dd> `,
    )}
  </dl>`
}

/** Renders numbers, each below its name. */
export function renderCounts(counts: readonly (readonly [label: string, count: number])[]) {
  return html`<dl class="counts cluster">
    ${counts.map(
      ([label, count]) =>
        html`<div>
          <dt>${label}</dt>
          <dd>${formatNumber(count)}</dd>
        </div>`,
    )}
  </dl>`
}

/** Renders an id with a button that copies it. The element id is unique in its page. */
export function renderId(elementId: string, id: string, label = 'Copy') {
  return html`<code id="${elementId}">${id}</code>
    <button type="button" class="quiet" data-copy="#${elementId}" hidden>${label}</button>`
}

/** Renders a text with a button that copies it, such as a secret. */
export function renderCopyable(id: string, text: string, label = 'Copy') {
  return html`<div class="tools">
    <pre><code id="${id}">${text}</code></pre>
    <button type="button" data-copy="#${id}" hidden>${label}</button>
  </div>`
}

/** Warns that a secret is shown only once. */
export function renderCopyWarning(what: string) {
  return html`<p class="warning">Copy ${what} now. You won't see it again.</p>`
}

interface Section {
  heading: string
  /** What is so now, in a line. */
  status: Html | string
  /** Open at first, as where a form was refused. */
  isOpen?: boolean
}

/** Renders a part of a long page that opens and closes, with its status in a line. */
export function renderSection({ heading, status, isOpen = false }: Section, content: Html) {
  return html`<details class="section" ${isOpen && html`open`}>
    <summary>
      <h2>${heading}</h2>
      <span class="hint">${status}</span>
    </summary>
    ${content}
  </details>`
}

type Cell<Row> = (row: Row) => Html | string

/** A column of texts, or of whole numbers. */
type Column<Row> = ({ cell: Cell<Row> } | { count: (row: Row) => number }) & {
  /** Only where there is much room. */
  isWide?: boolean
  /** Holds long text, which may break. */
  isLong?: boolean
  isNumber?: boolean
  /** Names the row, with its heading on narrow pages. If no column has this, the first names it without. */
  isName?: boolean
  /** Only screen readers need the heading, as of buttons. */
  isHeadingHidden?: boolean
  /** The text on hover. */
  title?: (row: Row) => string | null
}

/** The columns of a table, by their headings. */
export type Columns<Row> = Readonly<Record<string, Column<Row> | Cell<Row>>>

interface Table<Row> {
  /** What the table lists, for screen readers. */
  caption: string
  columns: Columns<Row>
  rows: readonly Row[]
  /** Each row takes one line where there is room. */
  isInLines?: boolean
  /** The caption says what no heading above the table says. */
  isCaptionShown?: boolean
}

/** Renders a table. On a narrow page, each row wraps like a text below its name. */
export function renderTable<Row>({ caption, columns, rows, isInLines, isCaptionShown }: Table<Row>) {
  const all = Object.entries(columns).map(([heading, column]) => {
    return { heading, ...(typeof column === 'function' ? { cell: column } : column) }
  })
  const name = all.find(({ isName }) => isName) ?? all[0]
  return html`<table class="cards ${isInLines && 'rows'}">
    <caption${!isCaptionShown && html` class="visually-hidden"`}>
      ${caption}
    </caption>
    <thead>
      <tr>
        ${all.map((column) => html`<th scope="col"${renderClass(column)}>${renderHeading(column)}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${renderEach(
        rows,
        (row) =>
          html`<tr>
            ${all.map((column) => renderCell(column, row, column === name))}
          </tr>`,
      )}
    </tbody>
  </table>`
}

type Headed<Row> = Column<Row> & { heading: string }

function renderHeading<Row>({ heading, isHeadingHidden }: Headed<Row>) {
  return isHeadingHidden ? html`<span class="visually-hidden">${heading}</span>` : html`${heading}`
}

function renderCell<Row>(column: Headed<Row>, row: Row, isName: boolean) {
  const { heading, isHeadingHidden, title } = column
  const isLabeled = !isHeadingHidden && (!isName || column.isName)
  const text = title?.(row) ?? null
  const label = isLabeled && html` data-label="${heading}"`
  const hover = text !== null && html` title="${text}"`
  const attributes = html`${label}${renderClass(column)}${hover}`
  const content = 'count' in column ? formatNumber(column.count(row)) : column.cell(row)
  return isName ? html`<th scope="row"${attributes}>${content}</th>` : html`<td${attributes}>${content}</td>`
}

function renderClass<Row>(column: Column<Row>) {
  const { isWide, isLong, isNumber = 'count' in column } = column
  const classes = [...(isWide ? ['wide'] : []), ...(isLong ? ['long'] : []), ...(isNumber ? ['number'] : [])]
  return classes.length === 0 ? html`` : html` class="${classes.join(' ')}"`
}
