import { problem } from '../../domain/errors.ts'
import { ProblemError } from './problem.ts'
import { isStorableText } from '../../domain/storable-text.ts'

const FIRST_INSTANT_MS = Date.parse('0001-01-01T00:00:00.000Z')
const LAST_INSTANT_MS = Date.parse('9999-12-31T23:59:59.999Z')

export const NOT_A_TIME = 'must be a time in the years 1 to 9999'

/** Parses a date-time parameter. */
export function parseTime(name: string, text: string): string {
  const instant = readInstant(text)
  if (instant !== null) return instant
  throw invalidQuery(name, NOT_A_TIME)
}

/**
 * Reads a date-time as RFC 3339 UTC with milliseconds. Returns null for values that the date-time format allows, but
 * PostgreSQL or Date does not.
 */
export function readInstant(text: string): string | null {
  const time = Date.parse(text)
  return time >= FIRST_INSTANT_MS && time <= LAST_INSTANT_MS ? new Date(time).toISOString() : null
}

/** Refuses texts that PostgreSQL cannot store, and that can therefore match no row. */
export function assertStorable(texts: object): void {
  for (const [name, value] of Object.entries(texts)) {
    if (typeof value === 'string' && !isStorableText(value)) {
      throw invalidQuery(name, 'contains an invalid character')
    }
  }
}

/** A problem with a query parameter; `rule` follows its name. */
export function invalidQuery(name: string, rule: string): ProblemError {
  return new ProblemError(problem('invalid_query', `The query parameter ${name} ${rule}`))
}
