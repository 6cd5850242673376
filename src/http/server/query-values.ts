import { problem } from '../../domain/errors.ts'
import { ProblemError } from './problem.ts'

const FIRST_INSTANT_MS = Date.parse('0001-01-01T00:00:00.000Z')
const LAST_INSTANT_MS = Date.parse('9999-12-31T23:59:59.999Z')

/** Normalises a time for the database. Neither it nor Date supports everything that the date-time format allows. */
export function instant(name: string, text: string): string {
  const time = Date.parse(text)
  if (time >= FIRST_INSTANT_MS && time <= LAST_INSTANT_MS) return new Date(time).toISOString()
  throw invalidQuery(name, 'must be a time between the years 1 and 9999')
}

/** Refuses strings that PostgreSQL cannot store, because no row can match them. */
export function assertStorable(texts: object): void {
  for (const [name, value] of Object.entries(texts)) {
    if (typeof value === 'string' && (value.includes('\0') || !value.isWellFormed())) {
      throw invalidQuery(name, 'contains a character that is not allowed')
    }
  }
}

/** Makes the error of an invalid query parameter. */
export function invalidQuery(name: string, fault: string): ProblemError {
  return new ProblemError(problem('invalid_query', `The query parameter ${name} ${fault}`))
}
