import { problem } from '../../domain/errors.ts'
import { ProblemError } from './problem.ts'

/** Encodes an opaque cursor for a list position: a whole number whose meaning never changes. */
export function encodeCursor(place: number): string {
  return Buffer.from(`1:${place}`).toString('base64url')
}

/**
 * Decodes a cursor. Throws `invalid_query` for anything that `encodeCursor` did not produce; `name` says where the
 * cursor was given.
 */
export function decodeCursor(cursor: string, name = 'query parameter cursor'): number {
  const [, digits] = /^1:([0-9]{1,15})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1')) ?? []
  const place = Number(digits)
  if (digits === undefined || encodeCursor(place) !== cursor) {
    throw new ProblemError(problem('invalid_query', `The ${name} must be one that the API returned`))
  }
  return place
}
