import type { UsageOfDay } from '#projections/bulk-user-logs/usage-queries'
import { html, type Html } from '../parts/html.ts'
import { formatNumber } from '#wording/numbers'
import { renderTable, type Column } from '../parts/table.ts'

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
export function renderComparison(usage: readonly UsageOfDay[], before: readonly UsageOfDay[], days: number): Html {
  const isCompared = before.length > 0
  const rows = FIGURES.map(({ label, status, count }) => {
    return { label, now: sumUsage(usage, status, count), earlier: sumUsage(before, status, count) }
  })
  return html`<h2>In total</h2>
    ${renderTable({
      caption: `Calls and records of the last ${days} days${isCompared ? `, beside those of the ${days} days before` : ''}`,
      columns: [
        { heading: 'Figure', cell: ({ label }) => label },
        { heading: `Last ${days} days`, count: ({ now }) => now },
        ...(isCompared ? compare(`${days} days before`) : []),
      ],
      rows,
    })}`
}

/** The sums of some days, and of those before. */
interface Compared {
  now: number
  earlier: number
}

/** Sums what calls with a status have, such as their records. */
export function sumUsage(
  usage: readonly UsageOfDay[],
  status: UsageOfDay['status'],
  count: (usage: UsageOfDay) => number,
): number {
  return usage.filter((one) => one.status === status).reduce((total, one) => total + count(one), 0)
}

/** Returns the columns that compare the sums of a row. */
export function compare(heading: string): Column<Compared>[] {
  return [
    { heading, count: ({ earlier }) => earlier },
    { heading: 'Change', isNumber: true, cell: ({ now, earlier }) => formatChange(now, earlier) },
  ]
}

/** Formats how a number has changed, such as `+12 %`. */
export function formatChange(now: number, before: number): string {
  if (now === before) return 'none'
  if (before === 0) return 'from zero'
  const percent = Math.round((100 * Math.abs(now - before)) / before)
  return percent === 0 ? 'less than 1 %' : `${now > before ? '+' : '−'}${formatNumber(percent)} %`
}
