import type { LedgerDb } from '#ledger/tables'
import { databaseTimeMs } from '#postgres/database-clock'
import { readPeopleChanges, sumPeople } from '#projections/employees/count-people'
import { divideTime, FIRST_WEEK_MS, formatRange, formatSlot } from './calls-chart.ts'
import { buildUrl, NAVIGATION } from '#wording/navigation'
import { renderOutcomeChart } from './outcome-chart.ts'

/** Reads and renders how many people were active and inactive at the end of each day. Returns null if there were none. */
export async function readPeopleChart(db: LedgerDb, companyId: string, timeZone: string) {
  const nowMs = databaseTimeMs()
  const from = new Date(divideTime({}, timeZone, nowMs).slots[0]!.from).toISOString()
  const changes = await readPeopleChanges(db, companyId, from)
  const { hour: begins } = changes[0] ?? {}
  if (begins === undefined) return null
  const { unit, slots } = divideTime({ from: begins }, timeZone, nowMs, FIRST_WEEK_MS)
  const bars = sumPeople(changes, slots).map(({ slot, active, inactive }) => ({
    label: formatSlot(slot, unit, timeZone),
    href: buildUrl(NAVIGATION.bulkUserLogs.path, formatRange(slot, timeZone)),
    completed: active,
    failed: inactive,
  }))
  if (bars.length === 0) return null
  return renderOutcomeChart({
    id: 'people',
    title: `People by status, by ${unit === 'hours' ? 'hour' : 'day'}`,
    unit,
    bars,
    isCompact: true,
    isLevel: true,
    words: ['active', 'inactive'],
  })
}
