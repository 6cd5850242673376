import { databaseTimeMs } from '#postgres/database-clock'
import type { EntryFilter } from '#projections/bulk-user-logs/queries'
import { countCallsByHour, type CallsOfHour } from '#projections/bulk-user-logs/usage-queries'
import type { LedgerDb } from '#ledger/tables'
import { renderOutcomeChart } from './outcome-chart.ts'
import { buildUrl, NAVIGATION } from '#wording/navigation'
import type { FormFields } from '#pages/parts/form'
import { DAY_MS, formatLocal, formatLocalDay, HOUR_MS, listDaysUpTo } from '#domain/local-times'
import { formatCalendarDay } from '#pages/parts/elements'

/*
 * The chart above the list, and on the page of a key: the calls of the chosen time by hour or by day. It counts whole hours, so in a time zone that
 * differs from UTC by a part of an hour, a day's bar begins at the first full hour (UTC) of the day.
 */

/** Shown if the filters have no start, and the most that is shown. */
const [DEFAULT_DAYS, MAX_DAYS] = [30, 92]
/** Up to this length of time, bars are hours; longer if there were no calls before. */
const HOURLY_MS = 2 * DAY_MS
export const FIRST_WEEK_MS = 7 * DAY_MS

/** The time that a bar stands for, in milliseconds since the epoch. Both ends are full hours. */
interface Slot {
  from: number
  to: number
}

/** The slots of the bars, oldest first. */
export interface Slots {
  unit: 'hours' | 'days'
  slots: Slot[]
}

/** Divides the time of a filter into hours or days of a time zone. Returns no slots if the time is in the future. */
export function divideTime(
  { from, to }: Pick<EntryFilter, 'from' | 'to'>,
  timeZone: string,
  nowMs: number,
  hourlyMs: number = HOURLY_MS,
): Slots {
  const end = Math.min(to === undefined ? nowMs : Date.parse(to), nowMs)
  const firstMs = from === undefined ? end - (DEFAULT_DAYS - 1) * DAY_MS : Date.parse(from)
  if (firstMs >= end) return { unit: 'hours', slots: [] }
  const start = Math.max(firstMs, end - (MAX_DAYS - 1) * DAY_MS)
  if (end - start > hourlyMs) return { unit: 'days', slots: listDays(start, end, timeZone) }
  const last = Math.ceil(end / HOUR_MS) * HOUR_MS
  const first = Math.floor(start / HOUR_MS) * HOUR_MS
  const slots = Array.from({ length: (last - first) / HOUR_MS }, (_, at) => {
    return { from: first + at * HOUR_MS, to: first + (at + 1) * HOUR_MS }
  })
  return { unit: 'hours', slots }
}

function listDays(start: number, end: number, timeZone: string): Slot[] {
  const toFullHour = (instant: number) => Math.ceil(instant / HOUR_MS) * HOUR_MS
  // The first and the last day count in part, and a day may have 23 hours.
  const most = Math.ceil((end - start) / DAY_MS) + 2
  return listDaysUpTo(formatLocalDay(end, timeZone), most, timeZone)
    .filter(({ to }) => to > start)
    .map(({ from, to }) => ({ from: toFullHour(from), to: toFullHour(to) }))
    .filter(({ from }) => from < end)
}

/** Reads and renders the chart. Returns null if there is nothing to show. */
export async function readCallsChart(
  db: LedgerDb,
  companyId: string,
  { given, filter }: { given: FormFields; filter: EntryFilter },
  timeZone: string,
) {
  const nowMs = databaseTimeMs()
  const whole = divideTime(filter, timeZone, nowMs)
  if (whole.slots.length === 0) return null
  const { from, to: _to, q, employee, ...values } = filter
  const [first, last] = [whole.slots[0]!.from, whole.slots.at(-1)!.to].map((ms) => new Date(ms).toISOString())
  const counts = await countCallsByHour(db, companyId, { from: first!, to: last! }, values)
  // A chart of no chosen time begins with the first calls.
  const begins = counts.map(({ hour }) => hour).toSorted()[0]
  const { unit, slots } =
    from === undefined && begins !== undefined
      ? divideTime({ ...filter, from: begins }, timeZone, nowMs, FIRST_WEEK_MS)
      : whole
  const { last: _last, ...kept } = given
  const bars = sumBySlot(counts, slots).map(({ slot, ...outcome }) => ({
    ...outcome,
    label: formatSlot(slot, unit, timeZone),
    href: buildUrl(NAVIGATION.bulkUserLogs.path, { ...kept, ...formatRange(slot, timeZone) }),
  }))
  const isSearch = q !== undefined || employee !== undefined
  const title = `${isSearch ? 'All calls' : 'Calls'} by ${unit === 'hours' ? 'hour' : 'day'}`
  return renderOutcomeChart({ id: 'calls', title, unit, bars, isCompact: true })
}

/** Sums the calls of hours by the slots in which they start. */
export function sumBySlot(counts: readonly CallsOfHour[], slots: readonly Slot[]) {
  const ofHour = Map.groupBy(counts, ({ hour }) => Date.parse(hour))
  return slots.map((slot) => {
    const sums = { slot, completed: 0, failed: 0 }
    for (let hour = slot.from; hour < slot.to; hour += HOUR_MS)
      for (const { status, calls } of ofHour.get(hour) ?? [])
        sums[status === 'Failed' ? 'failed' : 'completed'] += calls
    return sums
  })
}

/** Returns the filters that select a slot: days if it is one, else local times. */
export function formatRange({ from, to }: Slot, timeZone: string) {
  const [first, end] = [formatLocal(from, timeZone), formatLocal(to, timeZone)]
  if (!first.endsWith('T00:00') || !end.endsWith('T00:00')) return { from: first, to: end }
  return { from: formatLocalDay(from, timeZone), to: formatLocalDay(to - 1, timeZone) }
}

/** Names a slot in a time zone: by its day and, of an hour, the time at which it begins. */
export function formatSlot({ from }: Pick<Slot, 'from'>, unit: Slots['unit'], timeZone: string) {
  const [day, time] = formatLocal(from, timeZone).split('T') as [string, string]
  const name = formatCalendarDay(day)
  return unit === 'days' ? name : `${name}, ${time}`
}
