import { countRefusals } from '#projections/bulk-user-logs/cause-queries'
import type { SeenKey } from '#accounts/api-keys/api-keys'
import { DAY_MS } from '#domain/local-times'
import type { LedgerDb } from '#ledger/tables'
import { databaseTimeMs } from '#postgres/database-clock'
import { describeCode } from '#wording/attention-words'
import { buildUrl, REFUSALS } from '#wording/navigation'
import { capitalise } from '#pages/parts/call-words'
import { html, renderNameLink } from '#pages/parts/elements'
import { formatNumber } from '#wording/numbers'

/** A row of a table of bars. */
interface BarRow {
  label: string
  href: string
  count: number
}

/** Renders counts as a table whose rows have bars of their share of the first: the numbers are there without them. */
function renderBarTable(caption: string, rows: readonly BarRow[]) {
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

const DAYS = 7
/** Bars of each kind, beside a low chart. */
const BARS = 3

/** Reads and renders the records that were refused lately, by cause and by key. Returns null if there are none. */
export async function readRefusedChart(db: LedgerDb, companyId: string, keys: readonly SeenKey['key'][]) {
  const from = new Date(databaseTimeMs() - DAYS * DAY_MS).toISOString()
  const { byCause, byKey } = await countRefusals(db, companyId, { from }, BARS)
  if (byCause.length === 0) return null
  const hrefOf = (key?: string) => buildUrl(REFUSALS.path, { since: `${DAYS}d`, key })
  const causes = byCause.map(({ code, field, records }) => {
    const label = `${capitalise(describeCode(code))}${field === '' ? '' : `: ${field}`}`
    return { label, href: hrefOf(), count: records }
  })
  const senders = byKey.map(({ key, records }) => {
    return { label: keys.find(({ id }) => id === key)?.name ?? key, href: hrefOf(key), count: records }
  })
  return html`${renderBarTable(`Refused records by cause, ${DAYS} days`, causes)}
  ${renderBarTable('By API key', senders)}`
}
