import { html } from 'hono/html'
import type { UsageOfDay } from '../../../../projections/bulk-user-logs/usage-queries.ts'
import type { Html } from '../parts/page.ts'
import { formatNumber } from '../parts/shown-values.ts'

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
]

/** Renders the sums of some days beside those of as many days before; without the latter if there were no calls. */
export function renderComparison(usage: readonly UsageOfDay[], before: readonly UsageOfDay[], days: number): Html {
  const sum = (of: readonly UsageOfDay[], { status, count }: Figure) =>
    of.filter((one) => one.status === status).reduce((total, one) => total + count(one), 0)
  const isCompared = before.length > 0
  return html`<h2>In total</h2>
    <table class="cards sums">
      <caption class="visually-hidden">
        Calls and records of the last ${days}
        days${isCompared ? `, beside those of the ${days} days before` : ''}
      </caption>
      <thead>
        <tr>
          <th scope="col">Figure</th>
          <th scope="col" class="number">Last ${days} days</th>
          ${
            isCompared
              ? html`<th scope="col" class="number">${days} days before</th>
                  <th scope="col" class="number">Change</th>`
              : ''
          }
        </tr>
      </thead>
      <tbody>
        ${FIGURES.map((figure) => {
          const [now, then] = [sum(usage, figure), sum(before, figure)]
          return html`<tr>
            <th scope="row">${figure.label}</th>
            <td class="number" data-label="Last ${days} days">${formatNumber(now)}</td>
            ${
              isCompared
                ? html`<td class="number" data-label="${days} days before">${formatNumber(then)}</td>
                    <td class="number" data-label="Change">${formatChange(now, then)}</td>`
                : ''
            }
          </tr>`
        })}
      </tbody>
    </table>`
}

/** Formats how a number has changed, such as `+12 %`. */
export function formatChange(now: number, before: number): string {
  if (now === before) return 'none'
  if (before === 0) return 'from zero'
  const percent = Math.round((100 * Math.abs(now - before)) / before)
  return percent === 0 ? 'less than 1 %' : `${now > before ? '+' : '−'}${formatNumber(percent)} %`
}
