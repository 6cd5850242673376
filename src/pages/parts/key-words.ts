import type { KeyExcess, KeyLimits, Limited, KeyScope, ExpectedCalls } from '#domain/accounts/api-key'
import { LIMITED } from '#domain/accounts/key-limits'
import { formatCount } from '#wording/numbers'

/** Formats what calls with a key may do. */
export function formatScopes(scopes: readonly KeyScope[]): string {
  if (scopes.includes('scim')) return scopes.length === 1 ? 'SCIM only' : `SCIM, ${formatScopes(withoutScim(scopes))}`
  if (scopes.length > 1) return 'read and write'
  return scopes.includes('employees:read') ? 'read only' : 'write only'
}

function withoutScim(scopes: readonly KeyScope[]): KeyScope[] {
  return scopes.filter((scope) => scope !== 'scim')
}

/** The names of the weekdays, from Monday. */
export const DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']

/** Formats when calls of a key are expected, such as `by 06:00 on Mon–Fri`. */
export function formatExpectedCalls(calls: ExpectedCalls | null) {
  if (calls === null) return 'never'
  if ('every_hours' in calls) return calls.every_hours === 1 ? 'every hour' : `every ${calls.every_hours} hours`
  return `by ${calls.by_time}${formatWeekdays(calls.weekdays)}`
}

function formatWeekdays(weekdays: readonly number[]) {
  if (weekdays.length === DAYS.length) return ' every day'
  const [first = 1, last = 1] = [weekdays[0], weekdays.at(-1)]
  const isRange = weekdays.length > 2 && last - first === weekdays.length - 1
  const range = isRange ? [first, last] : weekdays
  return ` on ${range.map((weekday) => DAYS[weekday - 1]).join(isRange ? '–' : ', ')}`
}

/** Formats how many people a key may deactivate and change in a day, such as `25 deactivations`. */
export function formatLimits(limits: KeyLimits) {
  return formatNumbers(limits) || 'no limits'
}

/** Formats what a key may do beyond its limits, such as `412 more deactivations`. */
export function formatExcess(excess: Pick<KeyExcess, Limited>) {
  return formatNumbers(excess)
}

const WHAT = { max_deactivations: 'deactivation', max_changes: 'change' } as const satisfies Record<Limited, string>

function formatNumbers(numbers: KeyLimits) {
  const parts = LIMITED.flatMap((name) => {
    const limit = numbers[name]
    if (limit === null) return []
    return typeof limit === 'number'
      ? formatCount(limit, WHAT[name])
      : `${WHAT[name]}s of ${limit} of the active people`
  })
  return parts.join(', ')
}
