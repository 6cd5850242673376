import type { LogEntry } from '#projections/bulk-user-logs/queries'
import { encodeCursor } from '#http/server/query-values'
import { formatCaller } from './entry.ts'
import { renderStatusBadge } from '../parts/badges.ts'
import { html, type Html } from '../parts/html.ts'
import { NAVIGATION } from '#wording/navigation'
import { formatNumber } from '#wording/numbers'
import { formatTime } from '#domain/local-times'
import { COUNTS, describeResult } from '../parts/call-words.ts'
import { describeCode } from '#wording/failure-causes'

/** Renders a row for each entry. The whole row is its link. */
export function renderEntryRows(entries: LogEntry[], timeZone: string): Html[] {
  return entries.map(({ entry, position }) => {
    const { id, requested_at: at, counts, error } = entry
    const caller = formatCaller(entry)
    const result = describeResult(entry)
    const cause = error === null ? undefined : describeCode(error.code)
    const time = formatTime(at, timeZone)
    const name = [result, cause, caller, time].filter((part) => part !== undefined).join(', ')
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
          >${cause === undefined ? result : asked}</a
        >
      </th>
      <td class="source">${entry.name}</td>
      <td class="caller" title="${caller}"><bdi>${caller}</bdi></td>
      ${cells}
    </tr>`
  })
}

/** The lengths of the parts of `20 Nov 2026, 14:05:09`, from its end. */
const [YEAR_AT, TIME_AT, SECONDS_AT] = [-15, -10, -3]

/** Renders a formatted time without its zone, with marks on what narrow pages leave out. */
function renderShortTime(time: string): Html {
  const text = time.split(' ').slice(0, 4).join(' ')
  return html`${text.slice(0, YEAR_AT)}<span class="year">${text.slice(YEAR_AT, TIME_AT)}</span
    >${text.slice(TIME_AT, SECONDS_AT)}<span class="seconds">${text.slice(SECONDS_AT)}</span>`
}
