import type { LogEntry } from '#projections/bulk-user-logs/queries'
import type { Cause, Refusals } from '#projections/bulk-user-logs/refusals'
import { buildUrl, type QueryValues } from '#wording/navigation'
import { describeCause } from '../parts/describe-cause.ts'
import { html, type Html } from '../parts/html.ts'
import { formatNumber } from '#wording/numbers'
import { buildEntryUrl } from './entry.ts'

/** Further causes are collapsed. */
const SHOWN = 5

/** The value of the `error` filter for a cause. */
export function formatCause({ code, pointer }: Pick<Cause, 'code' | 'pointer'>): string {
  return `${code}:${pointer}`
}

/** Builds the address of a download of an entry's records. */
export function buildDownloadUrl(
  { entry }: LogEntry,
  file: 'records.csv' | 'failed-records.csv' | 'failed-records.json',
  filter: QueryValues,
): string {
  return buildUrl(`/admin/v1/bulk-user-logs/${entry.id}/${file}`, filter)
}

/**
 * Renders why records were refused, most frequent first. Each cause is a filter and has downloads. A chosen one stays in
 * view.
 */
export function renderCauses(
  entry: LogEntry,
  { causes, hasMore, isPartial }: Refusals,
  chosen: string | undefined,
): Html {
  if (causes.length === 0) return html``
  const isShown = (cause: Cause, at: number) => at < SHOWN || formatCause(cause) === chosen
  const list = (some: Cause[]) =>
    html`<ul class="causes cluster" aria-label="Causes">
      ${some.map((cause) => renderCause(entry, cause, formatCause(cause) === chosen))}
    </ul>`
  const further = causes.filter((cause, at) => !isShown(cause, at))
  const count = `${formatNumber(further.length)}${hasMore ? ' or more' : ''}`
  return html`<div id="causes">
    ${isPartial && html`<p class="hint">The call has so many errors that only the first were counted.</p>`}
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

function renderCause(entry: LogEntry, cause: Cause, isChosen: boolean): Html {
  const error = formatCause(cause)
  const words = describeCause(cause)
  const filtered = `${buildUrl(buildEntryUrl(entry), { error })}#causes`
  return html`<li>
    <span class="unbroken">${formatNumber(cause.records)} ×</span>
    <a href="${filtered}" ${isChosen && html`aria-current="true"`}>${words}</a>
    <span class="unbroken"
      ><a href="${buildDownloadUrl(entry, 'failed-records.csv', { error })}" download>CSV<span class="visually-hidden">: ${words}</span></a>
      <a href="${buildDownloadUrl(entry, 'failed-records.json', { error })}" download
        >JSON<span class="visually-hidden">: ${words}</span></a
      ></span
    >
  </li>`
}
