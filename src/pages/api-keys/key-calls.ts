import { listLogEntries, type LogEntry } from '#projections/bulk-user-logs/queries'
import type { Reads } from '#ledger/read/reads'
import { NAVIGATION } from '#wording/navigation'
import { readCallsChart } from '../charts/calls-chart.ts'
import { renderStatusBadge } from '../parts/badges.ts'
import { describeResult } from '../parts/call-words.ts'
import { html, type Html } from '../parts/html.ts'
import { renderTable } from '../parts/table.ts'
import { renderTime } from '../parts/times.ts'

const { path: LOGS_PATH } = NAVIGATION.bulkUserLogs
/** The calls that the page of a key lists. */
const LAST_CALLS = 5

/** Reads and renders what a key was used for: a chart, and its last calls. Empty if there are none. */
export async function readKeyCalls(reads: Reads, companyId: string, key: string, timeZone: string): Promise<Html> {
  const db = await reads.of(companyId)
  const { entries } = await listLogEntries(db, companyId, { key }, { before: null, limit: LAST_CALLS })
  if (entries.length === 0) return html``
  const chart = await readCallsChart(db, companyId, { given: { key }, filter: { key } }, timeZone)
  return html`<aside aria-label="Calls">
    ${chart ?? ''} ${renderLastCalls(entries, timeZone)}
  </aside>`
}

function renderLastCalls(entries: readonly LogEntry[], timeZone: string): Html {
  return renderTable({
    caption: 'The last calls',
    columns: [
      { heading: 'Date/Time', cell: ({ entry }) => renderTime(entry.requested_at, timeZone) },
      { heading: 'Status', cell: ({ entry }) => renderStatusBadge(entry.status) },
      {
        heading: 'Result',
        isName: true,
        cell: ({ entry }) => html`<a href="${LOGS_PATH}/${entry.id}">${describeResult(entry)}</a>`,
      },
    ],
    rows: entries,
  })
}
