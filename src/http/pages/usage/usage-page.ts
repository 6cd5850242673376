import type { FastifyInstance } from 'fastify'
import { html } from 'hono/html'
import type { UsageOfDay } from '../../../../projections/bulk-user-logs/usage-queries.ts'
import { readDailyUsage } from '../../../../projections/bulk-user-logs/usage-queries.ts'
import type { SeenKey } from '../../../accounts/api-keys/read-api-keys.ts'
import { findKeyStatus, listApiKeys } from '../../../accounts/api-keys/read-api-keys.ts'
import type { Reads } from '../../../ledger/read/reads.ts'
import type { LedgerDb } from '../../../ledger/tables.ts'
import { HOUR_MS, listDaysUpTo, type LocalDay } from '../../../domain/local-times.ts'
import { getToday } from '../../admin/usage.ts'
import { invalidQuery } from '../../server/query-values.ts'
import { COUNTS, OPERATIONS } from '../parts/call-words.ts'
import { sendUserPage } from '../parts/layout.ts'
import { NAVIGATION } from '../parts/navigation.ts'
import type { Html } from '../parts/page.ts'
import { renderReset } from '../api-keys/api-key-facts.ts'
import { renderQuotaBar, computeQuotaUsed } from '../api-keys/quota-used.ts'
import { formatNumber } from '../parts/shown-values.ts'
import { formatCalendarDay } from '../parts/times.ts'
import { renderOutcomeChart } from '../charts/outcome-chart.ts'
import { formatChange, renderComparison } from './comparison.ts'
import { getViewer } from '../parts/viewer.ts'

const RANGES = [7, 30, 90]
const DEFAULT_RANGE = 30
/** For each status. */
const MAX_KEYS = 200

/** The completed and failed calls (or records) of a day. */
interface DayOutcome {
  /** YYYY-MM-DD. */
  day: string
  completed: number
  failed: number
}

/** Calls and records of each day of a range, oldest first. */
interface DailyUsage {
  calls: DayOutcome[]
  records: DayOutcome[]
}

/** `/settings/usage`: calls and records by day and outcome, and each key's quota. */
export function addUsagePage(app: FastifyInstance, { db, reads }: { db: LedgerDb; reads: Reads }): void {
  app.get<{ Querystring: { days?: string } }>(NAVIGATION.usage.path, async (request, reply) => {
    const count = Number(request.query.days ?? DEFAULT_RANGE)
    if (!RANGES.includes(count)) throw invalidQuery('days', `must be one of ${RANGES.join(', ')}`)
    const viewer = getViewer(request)
    const logs = await reads.of(viewer.companyId)
    const { timeZone } = viewer
    const all = listDaysUpTo(getToday(timeZone), 2 * count, timeZone)
    const days = all.slice(count)
    const [usage, before, keys] = await Promise.all([
      readDailyUsage(logs, viewer.companyId, { days }),
      readDailyUsage(logs, viewer.companyId, { days: all.slice(0, count) }),
      listKeysInUse(db, viewer.companyId),
    ])
    const body = html`<h1>Usage</h1>
      ${renderRangeLinks(count)}
      <p class="hint">
        Calls that create or update employees, from ${formatCalendarDay(days[0]!.day)} to ${formatCalendarDay(days.at(-1)!.day)}, today.
        Days are in ${timeZone}${days.some(isOffHour) ? '; each is counted from its first full hour in UTC' : ''}.
      </p>
      ${usage.length === 0 && before.length === 0 ? renderNoCalls(count) : html`${renderComparison(usage, before, count)} ${usage.length === 0 ? renderNoCalls(count) : renderCharts(sumByDay(usage, days), usage, before)}`}
      ${renderQuotas(keys, viewer.timeZone)}`
    return sendUserPage(request, reply, viewer, { title: 'Usage', body })
  })
}

/** Lists the keys that are not revoked: enabled keys first, newest first. */
async function listKeysInUse(db: LedgerDb, companyId: string): Promise<SeenKey[]> {
  const statuses = ['active', 'disabled', 'expired'] as const
  return (await Promise.all(statuses.map((status) => listApiKeys(db, companyId, { status, limit: MAX_KEYS })))).flat()
}

/** Whether a day begins within an hour (UTC), which is then counted to the day before. */
function isOffHour({ from }: LocalDay): boolean {
  return from % HOUR_MS !== 0
}

/** Sums calls and records by day and outcome; days without calls have zeros. */
function sumByDay(usage: readonly UsageOfDay[], days: readonly LocalDay[]): DailyUsage {
  const ofDay = Map.groupBy(usage, ({ day }) => day)
  const sums = (count: (usage: UsageOfDay) => number) =>
    days.map(({ day }) => {
      const sum = (status: UsageOfDay['status']) =>
        (ofDay.get(day) ?? []).filter((one) => one.status === status).reduce((total, one) => total + count(one), 0)
      return { day, completed: sum('Completed'), failed: sum('Failed') }
    })
  return { calls: sums(({ calls }) => calls), records: sums(({ records }) => records.total) }
}

function renderRangeLinks(chosen: number): Html {
  return html`<nav class="choices" aria-label="Range">
    ${RANGES.map((days) => html`<a class="button" href="${NAVIGATION.usage.path}?days=${days}" ${days === chosen ? html`aria-current="true"` : ''}>${days} days</a>`)}
  </nav>`
}

function renderNoCalls(days: number): Html {
  return html`<div class="empty">
    <h2>No calls in the last ${days} days</h2>
    <p>Every call that creates or updates employees is counted here, whether it succeeds or fails.</p>
  </div>`
}

function renderCharts(
  { calls, records }: DailyUsage,
  usage: readonly UsageOfDay[],
  before: readonly UsageOfDay[],
): Html {
  const withCalls = calls
    .map((day, at) => ({ day, records: records[at]! }))
    .filter(({ day }) => day.completed + day.failed > 0)
  return html`<h2>Calls by day</h2>
    ${renderDays('calls', 'Calls by day and outcome', calls)}
    <h2>Records by day</h2>
    ${renderDays('records', 'Records by day and the outcome of their call', records)}
    <table class="cards sums">
      <caption>
        Calls and records by day and outcome, newest first. Days without calls are omitted.
      </caption>
      <thead>
        <tr>
          <th scope="col">Day</th>
          ${['Calls completed', 'Calls failed', 'Records in completed calls', 'Records in failed calls'].map(renderNumberHead)}
        </tr>
      </thead>
      <tbody>
        ${withCalls.toReversed().map(
          ({ day, records: sent }) =>
            html`<tr>
              <th scope="row" class="unbroken">${formatCalendarDay(day.day)}</th>
              ${renderNumberCell('Calls completed', day.completed)}${renderNumberCell('Calls failed', day.failed)}
              ${renderNumberCell('Records in completed calls', sent.completed)}${renderNumberCell('Records in failed calls', sent.failed)}
            </tr>`,
        )}
      </tbody>
    </table>
    ${renderByOperation(usage, before)}`
}

function renderDays(id: string, title: string, days: readonly DayOutcome[]): Html {
  const bars = days.map(({ day, ...outcome }) => ({ label: formatCalendarDay(day), ...outcome }))
  return renderOutcomeChart({ id, title, unit: 'days', bars })
}

function renderByOperation(usage: readonly UsageOfDay[], before: readonly UsageOfDay[]): Html {
  const isCompared = before.length > 0
  const outcomes = Map.groupBy([...usage, ...before], ({ operation, status }) => `${operation} ${status}`)
  const rows = [...outcomes.values()].map((group) => {
    const { operation, status } = group[0]!
    const sum = (of: readonly UsageOfDay[], count: (usage: UsageOfDay) => number) =>
      of
        .filter((one) => one.operation === operation && one.status === status)
        .reduce((total, one) => total + count(one), 0)
    const [calls, callsBefore] = [usage, before].map((of) => sum(of, (one) => one.calls)) as [number, number]
    return html`<tr>
      <th scope="row">${OPERATIONS[operation]}</th>
      <td data-label="Outcome">${status}</td>
      ${renderNumberCell('Calls', calls)}
      ${
        isCompared
          ? html`${renderNumberCell('Calls before', callsBefore)}
              <td class="number" data-label="Change">${formatChange(calls, callsBefore)}</td>`
          : ''
      }
      ${COUNTS.map(([name, label]) =>
        renderNumberCell(
          label,
          sum(usage, ({ records }) => records[name]),
        ),
      )}
    </tr>`
  })
  const heads = ['Calls', ...(isCompared ? ['Calls before', 'Change'] : []), ...COUNTS.map(([, label]) => label)]
  return html`<h2>By operation</h2>
    <table class="cards sums">
      <caption>
        Calls and the counts of their records, by operation and outcome
      </caption>
      <thead>
        <tr>
          <th scope="col">Operation</th>
          <th scope="col">Outcome</th>
          ${heads.map(renderNumberHead)}
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>`
}

function renderNumberHead(label: string): Html {
  return html`<th scope="col" class="number">${label}</th>`
}

function renderNumberCell(label: string, count: number): Html {
  return html`<td class="number" data-label="${label}">${formatNumber(count)}</td>`
}

function renderQuotas(keys: readonly SeenKey[], timeZone: string): Html {
  if (keys.length === 0)
    return html`<h2>Quotas</h2>
      <p>There are no API keys yet.</p>`
  return html`<h2>Quotas</h2>
    <table class="cards sums">
      <caption>
        Calls in the current quota period (UTC) of each API key
      </caption>
      <thead>
        <tr>
          <th scope="col">API key</th>
          <th scope="col">Used</th>
          ${['Calls', 'Quota'].map(renderNumberHead)}
          <th scope="col">Period</th>
          <th scope="col">Resets</th>
        </tr>
      </thead>
      <tbody>
        ${keys.map((seen) => renderQuotaRow(seen, timeZone))}
      </tbody>
    </table>`
}

function renderQuotaRow(seen: SeenKey, timeZone: string): Html {
  const { key } = seen
  const status = findKeyStatus(seen)
  const used = computeQuotaUsed(seen)
  return html`<tr>
    <th scope="row">${key.name}${status === 'active' ? '' : ` (${status})`}</th>
    <td data-label="Used">${renderQuotaBar(used)} ${used.percent} %</td>
    ${renderNumberCell('Calls', used.calls)}${renderNumberCell('Quota', used.limit)}
    <td data-label="Period">${key.refreshPeriod}</td>
    <td data-label="Resets">${renderReset(seen, timeZone)}</td>
  </tr>`
}
