import { problem } from '../../domain/errors.ts'
import { ProblemError } from './problem.ts'

/** An opaque cursor for a place in a list, given by a whole number that never changes its meaning. */
export function encodeCursor(place: number): string {
  return Buffer.from(`1:${place}`).toString('base64url')
}

/**
 * Reads a cursor. Throws a problem with `invalid_query` on anything that `encodeCursor` did not make; `name` tells
 * where it stood.
 */
export function decodeCursor(cursor: string, name = 'query parameter cursor'): number {
  const [, digits] = /^1:([0-9]{1,15})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1')) ?? []
  const place = Number(digits)
  if (digits === undefined || encodeCursor(place) !== cursor) {
    throw new ProblemError(problem('invalid_query', `The ${name} must be a cursor returned by the API`))
  }
  return place
}
