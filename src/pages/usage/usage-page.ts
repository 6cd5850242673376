import type { FastifyInstance } from 'fastify'
import { type UsageOfDay, readDailyUsage } from '#projections/bulk-user-logs/usage-queries'
import { rulesOf } from '#domain/operations'
import { findKeyStatus, listApiKeys, type SeenKey } from '#accounts/api-keys/api-keys'
import type { LedgerDb } from '#ledger/tables'
import { databaseTimeMs } from '#postgres/database-clock'
import { HOUR_MS, listDaysUpTo, type LocalDay } from '#domain/local-times'
import { getToday } from '#api/admin/usage'
import { invalidQuery } from '#http/server/query-values'
import { buildUrl, NAVIGATION } from '#wording/navigation'
import {
  html,
  renderTable,
  renderNameLink,
  renderSegments,
  formatCalendarDay,
  renderNothing,
} from '#pages/parts/elements'
import { capitalise, COUNTS } from '#pages/parts/call-words'
import { addPage } from '#pages/parts/form-page'
import { computeQuotaUsed, renderQuotaBar, renderReset } from '#pages/api-keys/api-key-facts'
import { formatSlot, type Slots } from '#pages/charts/calls-chart'
import { renderOutcomeChart } from '#pages/charts/outcome-chart'
import { getViewer, type PageServices } from '#pages/parts/context'

type Count = (usage: UsageOfDay) => number

const countCalls: Count = ({ calls }) => calls
const countRecords: Count = ({ records }) => records.total

type Figure = readonly [label: string, status: UsageOfDay['status'], count: Count]

/** What is counted of the calls of each day, by their outcome. */
const FIGURES: readonly Figure[] = [
  ['Calls completed', 'Completed', countCalls],
  ['Calls failed', 'Failed', countCalls],
  ['Records in completed calls', 'Completed', countRecords],
  ['Records in failed calls', 'Failed', countRecords],
]
const REFUSED: Figure = ['Records refused in completed calls', 'Completed', ({ records }) => records.failed]

/** Sums what calls have, such as their records; of one outcome, if it is given. */
function sumUsage(usage: readonly UsageOfDay[], count: Count, outcome?: UsageOfDay['status']) {
  const counted = usage.filter(({ status }) => outcome === undefined || status === outcome)
  return counted.reduce((total, one) => total + count(one), 0)
}

const RANGES = [7, 30, 90]
const DEFAULT_RANGE = 30
/** For each status. */
const MAX_KEYS = 200

/** The calls of a day or an hour. */
interface Bar {
  from: number
  usage: readonly UsageOfDay[]
}

/** What the charts show. */
interface Charted {
  unit: Slots['unit']
  bars: readonly Bar[]
}

/** `/settings/usage`: calls and records by day and outcome, and each key's quota. */
export function addUsagePage(app: FastifyInstance, { db, reads }: PageServices) {
  addPage(app, {
    path: NAVIGATION.usage.path,
    async load(request) {
      const { days: asked = DEFAULT_RANGE } = request.query as { days?: string }
      const count = Number(asked)
      if (!RANGES.includes(count)) throw invalidQuery('days', `must be one of ${RANGES.join(', ')}`)
      const { companyId, timeZone } = getViewer(request)
      const logs = await reads.of(companyId)
      const days = listDaysUpTo(getToday(timeZone), count, timeZone)
      const [usage, keys] = await Promise.all([readDailyUsage(logs, companyId, { days }), listKeysInUse(db, companyId)])
      return { days, usage, keys, charted: await chooseBars(logs, companyId, usage, days) }
    },
    render({ days, usage, keys, charted }, _, request) {
      const { timeZone } = getViewer(request)
      const period = `from ${formatCalendarDay(days[0]!.day)} to ${formatCalendarDay(days.at(-1)!.day)}, today`
      return {
        title: 'Usage',
        body: html`${renderRangeLinks(days.length)}
          <p class="hint">
            Calls that create or update employees, ${period}.
            Days are in ${timeZone}${days.some(isOffHour) && '; each is counted from its first full hour in UTC'}.
          </p>
          ${
            usage.length === 0
              ? renderNothing(
                  `No calls in the last ${days.length} days`,
                  'Every call that creates or updates employees is counted here, whether it succeeds or fails.',
                )
              : html`${renderTotals(usage, days.length)} ${renderCharts(charted, timeZone)}
                ${renderByOperation(usage)}`
          }
          ${renderQuotas(keys, timeZone)}`,
      }
    },
  })
}

/** Lists the keys that are not revoked. */
async function listKeysInUse(db: LedgerDb, companyId: string) {
  const statuses = ['active', 'disabled', 'expired'] as const
  return (await Promise.all(statuses.map((status) => listApiKeys(db, companyId, { status, limit: MAX_KEYS })))).flat()
}

/** Whether a day begins within an hour (UTC), which is then counted to the day before. */
function isOffHour({ from }: LocalDay) {
  return from % HOUR_MS !== 0
}

/** From so many days on, bars are days. */
const LEAST_DAYS = 7

/** Begins with the first calls in these days: by hours, until there is a week of them. */
async function chooseBars(
  db: LedgerDb,
  companyId: string,
  usage: readonly UsageOfDay[],
  days: readonly LocalDay[],
): Promise<Charted> {
  const first = days.findIndex(({ day }) => usage.some((one) => one.day === day))
  if (first === -1 || days.length - first >= LEAST_DAYS)
    return { unit: 'days', bars: groupByDay(usage, days.slice(Math.max(0, first))) }
  const start = Math.ceil(days[first]!.from / HOUR_MS) * HOUR_MS
  const hours = Array.from({ length: Math.ceil((databaseTimeMs() - start) / HOUR_MS) }, (_, at) => {
    const from = start + at * HOUR_MS
    return { day: String(from), from, to: from + HOUR_MS }
  })
  const bars = groupByDay(await readDailyUsage(db, companyId, { days: hours }), hours)
  return { unit: 'hours', bars: bars.slice(bars.findIndex((bar) => bar.usage.length > 0)) }
}

function groupByDay(usage: readonly UsageOfDay[], days: readonly LocalDay[]) {
  const ofDay = Map.groupBy(usage, ({ day }) => day)
  return days.map(({ day, from }) => ({ from, usage: ofDay.get(day) ?? [] }))
}

function renderTotals(usage: readonly UsageOfDay[], days: number) {
  return html`<h2>In total</h2>
    ${renderTable({
      caption: `Calls and records of the last ${days} days`,
      columns: {
        Figure: ([label]) => label,
        [`Last ${days} days`]: { count: ([, outcome, count]) => sumUsage(usage, count, outcome) },
      },
      rows: [...FIGURES, REFUSED],
    })}`
}

function renderRangeLinks(chosen: number) {
  const { path } = NAVIGATION.usage
  const ranges = RANGES.map((days) => {
    return { label: `${days} days`, href: buildUrl(path, { days }), isChosen: days === chosen }
  })
  return renderSegments('Range', ranges)
}

function renderCharts({ unit, bars }: Charted, timeZone: string) {
  const nameOf = (bar: Bar) => formatSlot(bar, unit, timeZone)
  const renderBars = (id: string, title: string, count: Count) => {
    const sums = bars.map((bar) => ({
      label: nameOf(bar),
      completed: sumUsage(bar.usage, count, 'Completed'),
      failed: sumUsage(bar.usage, count, 'Failed'),
    }))
    return renderOutcomeChart({ id, title, unit, bars: sums })
  }
  const one = unit === 'days' ? 'day' : 'hour'
  return html`<h2>Calls by ${one}</h2>
    ${renderBars('calls', `Calls by ${one} and outcome`, countCalls)}
    <h2>Records by ${one}</h2>
    ${renderBars('records', `Records by ${one} and the outcome of their call`, countRecords)}
    ${renderTable({
      caption: `Calls and records by ${one} and outcome, newest first. ${capitalise(unit)} without calls are omitted.`,
      isCaptionShown: true,
      columns: {
        [capitalise(one)]: (bar) => html`<span class="unbroken">${nameOf(bar)}</span>`,
        ...Object.fromEntries(
          FIGURES.map(([label, outcome, count]) => [
            label,
            { count: ({ usage }: Bar) => sumUsage(usage, count, outcome) },
          ]),
        ),
      },
      rows: bars.filter(({ usage }) => usage.length > 0).toReversed(),
    })}`
}

function renderByOperation(usage: readonly UsageOfDay[]) {
  const rows = [...Map.groupBy(usage, ({ operation, status }) => `${operation} ${status}`).values()]
  return html`<h2>By operation</h2>
    ${renderTable({
      caption: 'Calls and the counts of their records, by operation and outcome',
      isCaptionShown: true,
      columns: {
        Operation: ([first]) => rulesOf(first!.operation).label,
        Outcome: ([first]) => first!.status,
        Calls: { count: (own) => sumUsage(own, countCalls) },
        ...Object.fromEntries(
          COUNTS.map(([name, heading]) => [
            heading,
            { count: (own: UsageOfDay[]) => sumUsage(own, ({ records }) => records[name]) },
          ]),
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
