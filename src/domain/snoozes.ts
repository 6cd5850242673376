import { fieldError, invalidFields, problem, type Problem, type RecordError } from './errors.ts'
import { isCalendarDate, shiftDay } from './local-times.ts'
import { isStorableText } from './storable-text.ts'

/** The problems that a company may have put off at a time, and for how many days at most. */
export const MAX_SNOOZES = 100
export const MAX_SNOOZE_DAYS = 90
export const MAX_REASON = 200

/** A problem that is to be put off until a day (YYYY-MM-DD), and why. */
export interface WantedSnooze {
  until: string
  reason: string
}

/** Says what is wrong with a wish to put off a problem on a day (YYYY-MM-DD), beside `others`; null if it is valid. */
export function checkSnooze({ until, reason }: WantedSnooze, today: string, others: number): Problem | null {
  const errors: RecordError[] = []
  const last = shiftDay(today, MAX_SNOOZE_DAYS)
  if (!isCalendarDate(until) || until <= today || until > last)
    errors.push(fieldError('/until', 'invalid_value', `until must be a day from tomorrow to ${last}`))
  if (reason === '' || reason.length > MAX_REASON || !isStorableText(reason))
    errors.push(fieldError('/reason', 'invalid_value', `reason must have 1 to ${MAX_REASON} characters`))
  if (errors.length > 0) return invalidFields(errors)
  if (others < MAX_SNOOZES) return null
  return problem('precondition_failed', `${MAX_SNOOZES} problems are snoozed already. Show one of them again first`)
}
