import { html } from 'hono/html'
import type { LogEntry } from '../../../../projections/bulk-user-logs/queries.ts'
import type { AttentionItem } from '../../../domain/attention.ts'
import { formatTime } from '../../../domain/local-times.ts'
import { buildUrl } from './addresses.ts'
import { buildItemUrl, countCalls, describeItem, remedyOf } from './attention-words.ts'
import { describeCode } from './call-words.ts'
import { NAVIGATION } from './navigation.ts'
import type { Html } from './page.ts'
import { formatCount, formatNumber } from './shown-values.ts'

/** Lines that are shown at once, and those that a click shows; the problems of any others are only counted. */
const [SHOWN_LINES, MORE_LINES] = [4, 20]

/** Renders that nothing needs attention, with the last call; nothing if there is none. */
export function renderAllWell(lastCall: LogEntry['entry'] | undefined, timeZone: string): Html {
  if (!lastCall) return html``
  const { requested_at: requestedAt, counts } = lastCall
  return html`<p class="well">
    All well. Last call: ${formatTime(requestedAt, timeZone)}, ${formatCount(counts.total, 'record')}.
  </p>`
}

/**
 * Renders what needs attention, each item with what to do. On narrow pages it is one line that opens, so that the list
 * below it is in view.
 */
export function renderAttention(items: readonly AttentionItem[], timeZone: string, nowMs: number): Html {
  const lines = [...Map.groupBy(items, (item) => (item.kind === 'calls_failed' ? item.subject.id : item)).values()]
  return html`<section class="attention" aria-labelledby="attention">
    <h2 id="attention">Needs attention</h2>
    <details class="folded">
      <summary>${formatCount(items.length, 'problem')}</summary>
      ${renderLines(lines.slice(0, SHOWN_LINES), timeZone, nowMs)}
      ${lines.length > SHOWN_LINES ? renderMoreLines(lines.slice(SHOWN_LINES), timeZone, nowMs) : ''}
    </details>
  </section>`
}

/** What one line says: an item, or all causes for which calls of a key failed. */
type Line = readonly AttentionItem[]

function renderMoreLines(lines: readonly Line[], timeZone: string, nowMs: number): Html {
  const others = lines.slice(MORE_LINES).flat().length
  return html`<details class="more">
    <summary>${formatCount(lines.flat().length, 'more problem')}</summary>
    ${renderLines(lines.slice(0, MORE_LINES), timeZone, nowMs)} ${others > 0 ? html`<p>And ${formatNumber(others)} more.</p>` : ''}
  </details>`
}

function renderLines(lines: readonly Line[], timeZone: string, nowMs: number): Html {
  return html`<ul>
    ${lines.map((line) => html`<li>${line.length > 1 ? renderCauses(line) : renderItem(line[0]!, timeZone, nowMs)}</li>`)}
  </ul>`
}

function renderItem(item: AttentionItem, timeZone: string, nowMs: number): Html {
  const { problem, remedy } = describeItem(item, timeZone, nowMs)
  return html`<a href="${buildItemUrl(item)}"><bdi>${item.subject.name}</bdi></a>: ${problem}.
    <span class="hint">${remedy}</span>`
}

/** Renders the causes for which calls of a key failed, those with the most records first. */
function renderCauses(causes: Line): Html {
  const { subject } = causes[0]!
  const failed = causes.filter((item) => item.kind === 'calls_failed')
  const calls = failed.reduce((sum, { details }) => sum + details.calls, 0)
  return html`<a href="${buildUrl(NAVIGATION.bulkUserLogs.path, { key: subject.id, status: 'Failed' })}"
      ><bdi>${subject.name}</bdi></a
    >: ${countCalls(
      calls,
      failed.some(({ details }) => details.is_more),
    )} failed since yesterday.
    <ul>
      ${failed.map((item) => {
        const { calls: count, is_more: isMore, code } = item.details
        return html`<li>
          <a href="${buildItemUrl(item)}">${countCalls(count, isMore)}</a>: <span title="${code}">${describeCode(code)}</span>.
          <span class="hint">${remedyOf(code)}</span>
        </li>`
      })}
    </ul>`
}
