import { problem } from '../../domain/errors.ts'
import { ProblemError } from './problem.ts'

const FIRST_INSTANT_MS = Date.parse('0001-01-01T00:00:00.000Z')
const LAST_INSTANT_MS = Date.parse('9999-12-31T23:59:59.999Z')

/** An instant as the database takes it: neither it nor Date knows all that the form of a date-time allows. */
export function instant(name: string, text: string): string {
  const time = Date.parse(text)
  if (time >= FIRST_INSTANT_MS && time <= LAST_INSTANT_MS) return new Date(time).toISOString()
  throw invalidQuery(name, 'must be a time between the years 1 and 9999')
}

/** What no text of the database can hold, none of its rows can match. */
export function assertStorable(texts: object): void {
  for (const [name, value] of Object.entries(texts)) {
    if (typeof value === 'string' && (value.includes('\0') || !value.isWellFormed())) {
      throw invalidQuery(name, 'contains a character that is not allowed')
    }
  }
}

/** Refuses a query parameter, by its name and what is wrong with it. */
export function invalidQuery(name: string, fault: string): ProblemError {
  return new ProblemError(problem('invalid_query', `The query parameter ${name} ${fault}`))
}
