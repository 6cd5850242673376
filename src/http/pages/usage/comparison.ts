import type { UsageOfDay } from '../../../../projections/bulk-user-logs/usage-queries.ts'
import { html, type Html } from '../parts/html.ts'
import { formatNumber } from '../parts/shown-values.ts'
import { renderTable } from '../parts/table.ts'

interface Figure {
  label: string
  status: UsageOfDay['status']
  count: (usage: UsageOfDay) => number
}

const countCalls = ({ calls }: UsageOfDay) => calls
const countRecords = ({ records }: UsageOfDay) => records.total

const FIGURES: Figure[] = [
  { label: 'Calls completed', status: 'Completed', count: countCalls },
  { label: 'Calls failed', status: 'Failed', count: countCalls },
  { label: 'Records in completed calls', status: 'Completed', count: countRecords },
  { label: 'Records in failed calls', status: 'Failed', count: countRecords },
  { label: 'Records refused in completed calls', status: 'Completed', count: ({ records }) => records.failed },
]

/** Renders the sums of some days beside those of as many days before; without the latter if there were no calls. */
export function renderComparison(usage: readonly UsageOfDay[], before: readonly UsageOfDay[], days: number): Html {
  const sum = (of: readonly UsageOfDay[], { status, count }: Figure) =>
    of.filter((one) => one.status === status).reduce((total, one) => total + count(one), 0)
  const isCompared = before.length > 0
  const rows = FIGURES.map((figure) => ({ ...figure, now: sum(usage, figure), earlier: sum(before, figure) }))
  return html`<h2>In total</h2>
    ${renderTable({
      caption: `Calls and records of the last ${days} days${isCompared ? `, beside those of the ${days} days before` : ''}`,
      look: 'sums',
      columns: [
        { heading: 'Figure', cell: ({ label }) => label },
        { heading: `Last ${days} days`, isNumber: true, cell: ({ now }) => formatNumber(now) },
        ...(isCompared
          ? [
              {
                heading: `${days} days before`,
                isNumber: true,
                cell: ({ earlier }: Compared) => formatNumber(earlier),
              },
              { heading: 'Change', isNumber: true, cell: ({ now, earlier }: Compared) => formatChange(now, earlier) },
            ]
          : []),
      ],
      rows,
    })}`
}

/** The sums of some days, and of those before. */
interface Compared {
  now: number
  earlier: number
}

/** Formats how a number has changed, such as `+12 %`. */
export function formatChange(now: number, before: number): string {
  if (now === before) return 'none'
  if (before === 0) return 'from zero'
  const percent = Math.round((100 * Math.abs(now - before)) / before)
  return percent === 0 ? 'less than 1 %' : `${now > before ? '+' : '−'}${formatNumber(percent)} %`
}
