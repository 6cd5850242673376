/** What a call may have overlooked. */
export const WARNINGS = ['inactive_employees', 'past_termination_dates', 'inactive_managers'] as const
export type WarningCode = (typeof WARNINGS)[number]

/** The warnings that hold for as long as nobody changes the people. */
export const LASTING_WARNINGS = ['past_termination_dates', 'inactive_managers'] as const satisfies WarningCode[]
export type LastingWarning = (typeof LASTING_WARNINGS)[number]

/** A day has passed everywhere on Earth so many hours after it has in UTC. */
export const HOURS_UNTIL_PASSED = 12

/** The first day (YYYY-MM-DD) that has not passed everywhere at a time, which is RFC 3339 UTC. */
export function findFirstDay(now: string): string {
  return new Date(Date.parse(now) - HOURS_UNTIL_PASSED * 3_600_000).toISOString().slice(0, 10)
}
