import type { LogEntry } from '#projections/bulk-user-logs/queries'
import { groupProblems, nameOfItem, type AttentionItem } from '#domain/attention'
import { formatTime } from '#domain/local-times'
import { databaseTimeMs } from '#postgres/database-clock'
import { buildUrl, NAVIGATION, REFUSALS } from '#wording/navigation'
import { buildItemUrl, countCost, describeItem, nameSubject, remedyOf, describeCode } from '#wording/attention-words'
import { capitalise } from './call-words.ts'
import { html, renderNameLink, renderQuestionLink, renderHint } from './elements.ts'
import { formatCount, formatNumber } from '#wording/numbers'

/** Lines that are shown at once, and those that a click shows; the problems of any others are only counted. */
const [SHOWN_LINES, MORE_LINES] = [4, 20]
/** Causes of a key that its line shows; its page has all of them. */
const SHOWN_CAUSES = 4

/** Where the problems are listed that somebody has put off. */
export const SNOOZES_PATH = '/settings/attention'

/** Renders that nothing needs attention, with the last call; nothing if there is none. */
export function renderAllWell(lastCall: LogEntry['entry'] | undefined, snoozed: number, timeZone: string) {
  if (!lastCall) return html``
  const { requested_at: requestedAt, counts } = lastCall
  const state = snoozed === 0 ? 'All well.' : renderSnoozed(snoozed)
  return renderHint(
    html`${state} Last call: ${formatTime(requestedAt, timeZone)}, ${formatCount(counts.total, 'record')}.`,
  )
}

function renderSnoozed(count: number) {
  return html`<a href="${SNOOZES_PATH}">${formatCount(count, 'problem')} snoozed</a>.`
}

function renderSnoozeLink(item: AttentionItem) {
  const href = buildUrl(`${SNOOZES_PATH}/snooze`, { item: nameOfItem(item) })
  return renderQuestionLink(href, 'Snooze', nameSubject(item))
}

/** Renders what needs attention of a thing, on its own page, with what to do; on narrow pages, several are one line. */
export function renderProblemsOf(id: string, items: readonly AttentionItem[], timeZone: string) {
  const own = items.filter(({ subject }) => subject.id === id)
  if (own.length === 0) return html``
  const list = html`<ul>
    ${own.map((item) => {
      const { problem, remedy } = describeItem(item, timeZone, databaseTimeMs())
      const href = buildItemUrl(item)
      const isElsewhere = !href.endsWith(`/${id}`)
      return html`<li>
        ${isElsewhere ? html`<a href="${href}">${capitalise(problem)}</a>` : capitalise(problem)}.
        <span class="hint">${remedy}</span> ${renderSnoozeLink(item)}
      </li>`
    })}
  </ul>`
  const folded = html`<details class="folded">
    <summary>${formatCount(own.length, 'problem')}</summary>
    ${list}
  </details>`
  return html`<section class="attention" aria-labelledby="attention">
    <h2 id="attention">Needs attention</h2>
    ${own.length === 1 ? list : folded}
  </section>`
}

/** Renders why a row of a list is counted among what needs attention, with what to do. */
export function renderReasons(id: string, items: readonly AttentionItem[], path: string, timeZone: string) {
  const own = items.filter((item) => item.subject.id === id && buildItemUrl(item).startsWith(path))
  return html`${own.map((item) => {
    const { problem, remedy } = describeItem(item, timeZone, databaseTimeMs())
    return html`<span class="why">${capitalise(problem)}. ${remedy}</span>`
  })}`
}

/**
 * Renders what needs attention, each item with what to do. On narrow pages it is one line that opens, so that the list
 * below it is in view.
 */
export function renderAttention(items: readonly AttentionItem[], snoozed: number, timeZone: string) {
  const lines = groupProblems(items)
  return html`<section class="attention" aria-labelledby="attention">
    <h2 id="attention">Needs attention</h2>
    <details class="folded">
      <summary>${formatCount(lines.length, 'problem')}</summary>
      ${renderLines(lines.slice(0, SHOWN_LINES), timeZone)}
      ${lines.length > SHOWN_LINES && renderMoreLines(lines.slice(SHOWN_LINES), timeZone)}
      ${snoozed !== 0 && html`<p>${renderSnoozed(snoozed)}</p>`}
    </details>
  </section>`
}

/** What one line says: an item, or all causes for which calls of a key failed. */
type Line = readonly AttentionItem[]

function renderMoreLines(lines: readonly Line[], timeZone: string) {
  const others = lines.slice(MORE_LINES).length
  return html`<details class="more">
    <summary>${formatCount(lines.length, 'more problem')}</summary>
    ${renderLines(lines.slice(0, MORE_LINES), timeZone)}
    ${others > 0 && html`<p>And ${formatNumber(others)} more.</p>`}
  </details>`
}

function renderLines(lines: readonly Line[], timeZone: string) {
  return html`<ul>
    ${lines.map((line) => html`<li>${line.length > 1 ? renderCauses(line) : renderItem(line[0]!, timeZone)}</li>`)}
  </ul>`
}

function renderItem(item: AttentionItem, timeZone: string) {
  const { problem, remedy } = describeItem(item, timeZone, databaseTimeMs())
  return html`${renderNameLink(buildItemUrl(item), nameSubject(item))}: ${problem}.
    <span class="hint">${remedy}</span> ${renderSnoozeLink(item)}`
}

/** Renders the causes for which calls of a key failed. */
function renderCauses(causes: Line) {
  const { subject } = causes[0]!
  const failed = causes.filter((item) => item.kind === 'calls_failed')
  const more = failed.length - SHOWN_CAUSES
  const key = `${NAVIGATION.apiKeys.path}/${subject.id}`
  const sum = (name: 'calls' | 'records') => failed.reduce((total, { details }) => total + details[name], 0)
  const cost = { calls: sum('calls'), records: sum('records'), is_more: failed.some(({ details }) => details.is_more) }
  const refusals = buildUrl(REFUSALS.path, { key: subject.id })
  return html`${renderNameLink(refusals, subject.name)}: ${countCost(cost)} failed since yesterday.
    <ul>
      ${failed.slice(0, SHOWN_CAUSES).map((item) => {
        const { code } = item.details
        const cause = html`<span title="${code}">${describeCode(code)}</span>`
        return html`<li>
          <a href="${buildItemUrl(item)}">${countCost(item.details)}</a>: ${cause}.
          <span class="hint">${remedyOf(code)}</span> ${renderSnoozeLink(item)}
        </li>`
      })}
      ${more > 0 && html`<li><a href="${key}">${formatCount(more, 'more cause')}</a></li>`}
    </ul>`
}
