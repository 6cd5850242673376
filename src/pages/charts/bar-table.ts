import { html, renderNameLink } from '#pages/parts/elements'
import { formatNumber } from '#wording/numbers'

/** A row of a table of bars. */
interface BarRow {
  label: string
  href: string
  count: number
}

/** Renders counts as a table whose rows have bars of their share of the first: the numbers are there without them. */
export function renderBarTable(caption: string, rows: readonly BarRow[]) {
  const most = rows[0]?.count ?? 1
  return html`<table class="bars">
    <caption>
      ${caption}
    </caption>
    <tbody>
      ${rows.map(
        ({ label, href, count }) =>
          html`<tr>
            <th scope="row">${renderNameLink(href, label)}</th>
            <td class="number">${formatNumber(count)}</td>
            <td aria-hidden="true">
              <svg class="quota" height="12">
                <rect class="failed-ground" width="${Math.max(1, (100 * count) / most)}%" height="12" rx="3" />
              </svg>
            </td>
          </tr>`,
      )}
    </tbody>
  </table>`
}
