import type { FastifyInstance } from 'fastify'
import { type UsageOfDay, readDailyUsage } from '#projections/bulk-user-logs/usage-queries'
import { formatNumber } from '#wording/numbers'
import { rulesOf } from '#domain/operations'
import { findKeyStatus, listApiKeys, type SeenKey } from '#accounts/api-keys/api-keys'
import type { Reads } from '#ledger/read/reads'
import type { LedgerDb } from '#ledger/tables'
import { databaseTimeMs } from '#postgres/database-clock'
import { HOUR_MS, listDaysUpTo, type LocalDay } from '#domain/local-times'
import { getToday } from '#api/admin/usage'
import { invalidQuery } from '#http/server/query-values'
import { buildUrl, NAVIGATION } from '#wording/navigation'
import {
  html,
  renderTable,
  type Columns,
  renderNameLink,
  renderSegments,
  formatCalendarDay,
} from '#pages/parts/elements'
import { capitalise, COUNTS } from '#pages/parts/call-words'
import { sendUserPage } from '#pages/parts/layout'
import { computeQuotaUsed, renderQuotaBar, renderReset } from '#pages/api-keys/api-key-facts'
import { formatSlot, type Slots } from '#pages/charts/calls-chart'
import { renderOutcomeChart } from '#pages/charts/outcome-chart'
import { getViewer } from '#pages/parts/context'

interface Figure {
  label: string
  status: UsageOfDay['status']
  count: (usage: UsageOfDay) => number
}

export const countCalls = ({ calls }: UsageOfDay) => calls
export const countRecords = ({ records }: UsageOfDay) => records.total

const FIGURES: Figure[] = [
  { label: 'Calls completed', status: 'Completed', count: countCalls },
  { label: 'Calls failed', status: 'Failed', count: countCalls },
  { label: 'Records in completed calls', status: 'Completed', count: countRecords },
  { label: 'Records in failed calls', status: 'Failed', count: countRecords },
  { label: 'Records refused in completed calls', status: 'Completed', count: ({ records }) => records.failed },
]

/** Renders the sums of some days beside those of as many days before; without the latter if there were no calls. */
function renderComparison(usage: readonly UsageOfDay[], before: readonly UsageOfDay[], days: number) {
  const rows = FIGURES.map(({ label, status, count }) => {
    return { label, now: sumUsage(usage, status, count), earlier: sumUsage(before, status, count) }
  })
  const beside = before.length > 0 ? `, beside those of the ${days} days before` : ''
  return html`<h2>In total</h2>
    ${renderTable({
      caption: `Calls and records of the last ${days} days${beside}`,
      columns: {
        Figure: ({ label }) => label,
        [`Last ${days} days`]: { count: ({ now }) => now },
        ...(before.length > 0 && compare(`${days} days before`)),
      },
      rows,
    })}`
}

/** The sums of some days, and of those before. */
interface Compared {
  now: number
  earlier: number
}

/** Sums what calls with a status have, such as their records. */
function sumUsage(
  usage: readonly UsageOfDay[],
  status: UsageOfDay['status'],
  count: (usage: UsageOfDay) => number,
): number {
  return usage.filter((one) => one.status === status).reduce((total, one) => total + count(one), 0)
}

/** Returns the columns that compare the sums of a row. */
export function compare(heading: string): Columns<Compared> {
  return {
    [heading]: { count: ({ earlier }) => earlier },
    Change: { isNumber: true, cell: ({ now, earlier }) => formatChange(now, earlier) },
  }
}

/** Formats how a number has changed, such as `+12 %`. */
export function formatChange(now: number, before: number): string {
  if (now === before) return 'none'
  if (before === 0) return 'from zero'
  const percent = Math.round((100 * Math.abs(now - before)) / before)
  return percent === 0 ? 'less than 1 %' : `${now > before ? '+' : '−'}${formatNumber(percent)} %`
}

const RANGES = [7, 30, 90]
const DEFAULT_RANGE = 30
/** For each status. */
const MAX_KEYS = 200

/** What is counted by outcome. */
type Counted = 'calls' | 'records'

/** Calls and records of a day or an hour, by the outcome of the calls. */
type DayUsage = { from: number } & Record<Counted, { completed: number; failed: number }>

/** What the charts show. */
interface Charted {
  unit: Slots['unit']
  bars: readonly DayUsage[]
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
    const charted = await chooseBars(logs, viewer.companyId, { usage, days, isFirst: before.length === 0 })
    const period = `from ${formatCalendarDay(days[0]!.day)} to ${formatCalendarDay(days.at(-1)!.day)}, today`
    const body = html`<h1>Usage</h1>
      ${renderRangeLinks(count)}
      <p class="hint">
        Calls that create or update employees, ${period}.
        Days are in ${timeZone}${days.some(isOffHour) && '; each is counted from its first full hour in UTC'}.
      </p>
      ${usage.length + before.length > 0 && renderComparison(usage, before, count)}
      ${usage.length === 0 && renderNoCalls(count)} ${usage.length > 0 && renderCharts(charted, timeZone)}
      ${usage.length > 0 && renderByOperation(usage, before)}
      ${renderQuotas(keys, viewer.timeZone)}`
    return sendUserPage(reply, viewer, { title: 'Usage', body })
  })
}

/** Lists the keys that are not revoked. */
async function listKeysInUse(db: LedgerDb, companyId: string): Promise<SeenKey[]> {
  const statuses = ['active', 'disabled', 'expired'] as const
  return (await Promise.all(statuses.map((status) => listApiKeys(db, companyId, { status, limit: MAX_KEYS })))).flat()
}

/** Whether a day begins within an hour (UTC), which is then counted to the day before. */
function isOffHour({ from }: LocalDay): boolean {
  return from % HOUR_MS !== 0
}

/** From so many days on, bars are days. */
const LEAST_DAYS = 7

/** Begins with the first calls, if they were made in these days: by hours, until there is a week of them. */
async function chooseBars(
  db: LedgerDb,
  companyId: string,
  { usage, days, isFirst }: { usage: readonly UsageOfDay[]; days: readonly LocalDay[]; isFirst: boolean },
): Promise<Charted> {
  const first = isFirst ? days.findIndex(({ day }) => usage.some((one) => one.day === day)) : 0
  if (!isFirst || first === -1 || days.length - first >= LEAST_DAYS)
    return { unit: 'days', bars: sumByDay(usage, days.slice(Math.max(0, first))) }
  const start = Math.ceil(days[first]!.from / HOUR_MS) * HOUR_MS
  const hours = Array.from({ length: Math.ceil((databaseTimeMs() - start) / HOUR_MS) }, (_, at) => {
    const from = start + at * HOUR_MS
    return { day: String(from), from, to: from + HOUR_MS }
  })
  const bars = sumByDay(await readDailyUsage(db, companyId, { days: hours }), hours)
  const begins = bars.findIndex(({ calls }) => calls.completed + calls.failed > 0)
  return { unit: 'hours', bars: bars.slice(Math.max(0, begins)) }
}

/** Sums calls and records by day and outcome; days without calls have zeros. */
function sumByDay(usage: readonly UsageOfDay[], days: readonly LocalDay[]): DayUsage[] {
  const ofDay = Map.groupBy(usage, ({ day }) => day)
  return days.map(({ day, from }) => {
    const own = ofDay.get(day) ?? []
    const sum = (count: (usage: UsageOfDay) => number) => {
      return { completed: sumUsage(own, 'Completed', count), failed: sumUsage(own, 'Failed', count) }
    }
    return { from, calls: sum(countCalls), records: sum(countRecords) }
  })
}

function renderRangeLinks(chosen: number) {
  const { path } = NAVIGATION.usage
  const ranges = RANGES.map((days) => {
    return { label: `${days} days`, href: buildUrl(path, { days }), isChosen: days === chosen }
  })
  return renderSegments('Range', ranges)
}

function renderNoCalls(days: number) {
  return html`<div class="empty">
    <h2>No calls in the last ${days} days</h2>
    <p>Every call that creates or updates employees is counted here, whether it succeeds or fails.</p>
  </div>`
}

function renderCharts({ unit, bars }: Charted, timeZone: string) {
  const nameOf = (bar: DayUsage) => formatSlot(bar, unit, timeZone)
  const renderBars = (id: Counted, title: string) =>
    renderOutcomeChart({ id, title, unit, bars: bars.map((bar) => ({ label: nameOf(bar), ...bar[id] })) })
  const withCalls = bars.filter(({ calls }) => calls.completed + calls.failed > 0)
  const one = unit === 'days' ? 'day' : 'hour'
  return html`<h2>Calls by ${one}</h2>
    ${renderBars('calls', `Calls by ${one} and outcome`)}
    <h2>Records by ${one}</h2>
    ${renderBars('records', `Records by ${one} and the outcome of their call`)}
    ${renderTable({
      caption: `Calls and records by ${one} and outcome, newest first. ${capitalise(unit)} without calls are omitted.`,
      isCaptionShown: true,
      columns: {
        [capitalise(one)]: (bar) => html`<span class="unbroken">${nameOf(bar)}</span>`,
        'Calls completed': { count: ({ calls }) => calls.completed },
        'Calls failed': { count: ({ calls }) => calls.failed },
        'Records in completed calls': { count: ({ records }) => records.completed },
        'Records in failed calls': { count: ({ records }) => records.failed },
      },
      rows: withCalls.toReversed(),
    })}`
}

function renderByOperation(usage: readonly UsageOfDay[], before: readonly UsageOfDay[]) {
  const outcomes = Map.groupBy([...usage, ...before], ({ operation, status }) => `${operation} ${status}`)
  const rows = [...outcomes.values()].map(([first]) => {
    const { operation, status } = first!
    const [own, ownBefore] = [usage, before].map((of) => of.filter((one) => one.operation === operation))
    return {
      operation,
      status,
      now: sumUsage(own!, status, countCalls),
      earlier: sumUsage(ownBefore!, status, countCalls),
      counts: COUNTS.map(([name]) => sumUsage(own!, status, ({ records }) => records[name])),
    }
  })
  return html`<h2>By operation</h2>
    ${renderTable({
      caption: 'Calls and the counts of their records, by operation and outcome',
      isCaptionShown: true,
      columns: {
        Operation: ({ operation }) => rulesOf(operation).label,
        Outcome: ({ status }) => status,
        Calls: { count: ({ now }) => now },
        ...(before.length > 0 && compare('Calls before')),
        ...Object.fromEntries(
          COUNTS.map(([, heading], at) => [heading, { count: ({ counts }: (typeof rows)[number]) => counts[at]! }]),
        ),
      },
      rows,
    })}`
}

function renderQuotas(keys: readonly SeenKey[], timeZone: string) {
  if (keys.length === 0)
    return html`<h2>Quotas</h2>
      <p>There are no API keys yet.</p>`
  const rows = keys.map((seen) => ({ seen, used: computeQuotaUsed(seen) }))
  return html`<h2>Quotas</h2>
    ${renderTable({
      caption: 'Calls in the current quota period (UTC) of each API key, the most used first',
      isCaptionShown: true,
      columns: {
        'API key': ({ seen }) => renderKeyName(seen),
        Used: ({ used }) => html`<span class="unbroken">${renderQuotaBar(used)} ${used.percent} %</span>`,
        Calls: { count: ({ used }) => used.calls },
        Quota: { count: ({ used }) => used.limit },
        Period: ({ seen }) => seen.key.refreshPeriod,
        Resets: ({ seen }) => renderReset(seen, timeZone),
      },
      rows: rows.toSorted((a, b) => b.used.percent - a.used.percent),
    })}`
}

function renderKeyName(seen: SeenKey) {
  const status = findKeyStatus(seen)
  const { id, name } = seen.key
  const note = status === 'active' ? '' : ` (${status})`
  return html`${renderNameLink(`${NAVIGATION.apiKeys.path}/${id}`, name)}${note}`
}
