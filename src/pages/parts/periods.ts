import { type RecordError, fieldError } from '#domain/errors'
import { findEndOf, findStartOf, readLocal } from '#domain/local-times'
import type { FormFields } from './form.ts'

/* The fields `from` and `to` of a form: days, or times of a day, in the company's time zone. */

/** Lists what is wrong with the ends of a period. */
export function checkPeriod({ from, to }: FormFields): RecordError[] {
  const rule = 'must be a date, such as 2026-11-20, or a date and time, such as 2026-11-20T14:30'
  return Object.entries({ from, to }).flatMap(([name, text]) =>
    text === undefined || readLocal(text) ? [] : [fieldError(`/${name}`, 'invalid_format', `${name} ${rule}`)],
  )
}

/** Returns the ends of a period as instants, RFC 3339: from the first, before the second. A day in `to` is included. */
export function readPeriod({ from, to }: FormFields, timeZone: string): { from?: string; to?: string } {
  return {
    ...(from === undefined ? {} : { from: new Date(findStartOf(from, timeZone)).toISOString() }),
    ...(to === undefined ? {} : { to: new Date(findEndOf(to, timeZone)).toISOString() }),
  }
}
