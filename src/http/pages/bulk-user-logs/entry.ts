import { html } from 'hono/html'
import type { LogEntry } from '../../../../projections/bulk-user-logs/queries.ts'
import { buildUrl } from '../parts/addresses.ts'
import { renderStatusBadge } from '../parts/badges.ts'
import { LOGS_PATH } from './list.ts'
import { COUNTS, OPERATIONS } from './call-words.ts'
import { NAVIGATION } from '../parts/navigation.ts'
import type { Html } from '../parts/page.ts'
import { formatNumber } from '../parts/shown-values.ts'
import { renderTime } from '../parts/times.ts'

/** Builds the path of an entry's page. */
export function buildEntryUrl({ entry }: LogEntry): string {
  return `${LOGS_PATH}/${entry.id}`
}

/** Renders the facts, counts and API error of a call. */
export function renderEntrySummary(found: LogEntry, timeZone: string): Html {
  const { entry } = found
  return html`${renderApiError(found)}
    <dl class="counts">
      ${COUNTS.map(
        ([name, label]) =>
          html`<div>
            <dt>${label}</dt>
            <dd>${formatNumber(entry.counts[name])}</dd>
          </div>`,
      )}
    </dl>
    <dl class="facts call-facts">
      <dt>Status</dt>
      <dd>${renderStatusBadge(entry.status)}</dd>
      <dt>Name</dt>
      <dd>${entry.name}</dd>
      <dt>Date/Time</dt>
      <dd>${renderTime(entry.requested_at, timeZone)}</dd>
      <dt>Operation</dt>
      <dd>${OPERATIONS[entry.operation]}</dd>
      <dt>HTTP status</dt>
      <dd>${entry.http_status}</dd>
      <dt>Duration</dt>
      <dd>${formatNumber(entry.duration_ms)} ms</dd>
      <dt>API key</dt>
      <dd>
        <a href="${buildUrl(LOGS_PATH, { key: entry.key.id })}"><bdi>${entry.key.name}</bdi></a>
        <code>${entry.key.id}</code>
      </dd>
      <dt>Request ID</dt>
      <dd><code id="request-id">${entry.request_id}</code></dd>
      <dt>Entry ID</dt>
      <dd>
        <code id="entry-id">${entry.id}</code>
        <button type="button" class="quiet" data-copy="#entry-id" hidden>Copy ID</button>
      </dd>
    </dl>
    <p class="actions">
      <a class="button" href="${buildUrl(NAVIGATION.events.path, { id: entry.id, view: 'raw' })}">View raw events</a>
    </p>`
}

/** Renders the API's error message, unchanged. */
function renderApiError({ entry: { error, http_status: status } }: LogEntry): Html {
  if (!error) return html``
  return html`<div class="alert">
    <strong>The API refused the call:</strong> <span id="api-error">${error.detail}</span> (<a
      href="/problems/${error.code}"
      >${status} <code>${error.code}</code></a
    >)
  </div>`
}
