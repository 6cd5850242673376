import { problem } from '../../domain/errors.ts'
import { ProblemError } from './problem.ts'

const FIRST_INSTANT_MS = Date.parse('0001-01-01T00:00:00.000Z')
const LAST_INSTANT_MS = Date.parse('9999-12-31T23:59:59.999Z')

/** Parses a date-time parameter. The date-time format allows values that neither PostgreSQL nor Date accepts. */
export function parseTime(name: string, text: string): string {
  const time = Date.parse(text)
  if (time >= FIRST_INSTANT_MS && time <= LAST_INSTANT_MS) return new Date(time).toISOString()
  throw invalidQuery(name, 'must be a time in the years 1 to 9999')
}

/** Refuses texts that PostgreSQL cannot store, and that can therefore match no row. */
export function assertStorable(texts: object): void {
  for (const [name, value] of Object.entries(texts)) {
    if (typeof value === 'string' && (value.includes('\0') || !value.isWellFormed())) {
      throw invalidQuery(name, 'contains an invalid character')
    }
  }
}

/** A problem with a query parameter; `fault` follows its name. */
export function invalidQuery(name: string, fault: string): ProblemError {
  return new ProblemError(problem('invalid_query', `The query parameter ${name} ${fault}`))
}
