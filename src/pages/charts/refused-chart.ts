import { countRefusals } from '#projections/bulk-user-logs/cause-queries'
import type { SeenKey } from '#accounts/api-keys/api-keys'
import { DAY_MS } from '#domain/local-times'
import type { LedgerDb } from '#ledger/tables'
import { databaseTimeMs } from '#postgres/database-clock'
import { describeCode } from '#wording/attention-words'
import { buildUrl, REFUSALS } from '#wording/navigation'
import { capitalise } from '#pages/parts/call-words'
import { html } from '#pages/parts/elements'
import { renderBarTable } from './bar-table.ts'

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
