import { formatLocalDay, listDaysUpTo } from '#domain/local-times'
import type { LedgerDb } from '#ledger/tables'
import { databaseTimeMs } from '#postgres/database-clock'
import { readDailyUsage } from '#projections/bulk-user-logs/usage-queries'
import { formatCalendarDay } from '#pages/parts/elements'
import { buildUrl, NAVIGATION } from '#wording/navigation'
import { renderOutcomeChart } from './outcome-chart.ts'

const DAYS = 30

/** Reads and renders how many people were created and deactivated each day. Returns null if nobody was. */
export async function readPeopleChart(db: LedgerDb, companyId: string, timeZone: string) {
  const days = listDaysUpTo(formatLocalDay(databaseTimeMs(), timeZone), DAYS, timeZone)
  const bars = days.map(({ day }) => {
    const href = buildUrl(NAVIGATION.bulkUserLogs.path, { from: day, to: day })
    return { label: formatCalendarDay(day), href, completed: 0, failed: 0 }
  })
  for (const { day, status, records } of await readDailyUsage(db, companyId, { days })) {
    const bar = bars[days.findIndex((one) => one.day === day)]!
    if (status !== 'Completed') continue
    // Created records count in the total alone.
    bar.completed += records.total - records.updated - records.deactivated - records.failed - records.no_updates
    bar.failed += records.deactivated
  }
  if (bars.every(({ completed, failed }) => completed + failed === 0)) return null
  const title = `People created and deactivated in ${DAYS} days`
  return renderOutcomeChart({
    id: 'people',
    title,
    unit: 'days',
    bars,
    isCompact: true,
    words: ['created', 'deactivated'],
  })
}
