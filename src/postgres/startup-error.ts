import { trimBlanks } from '#text/normalize-text'

/** The program cannot start, for a reason that the user can fix. The message is one line for the user. */
export class StartupError extends Error {}

/** The reason why a connection or a statement failed, in one line. */
export function errorReason(error: unknown): string {
  // A host with several addresses fails once for each, in an error without a message of its own.
  if (error instanceof AggregateError) return [...new Set(error.errors.map(errorReason))].join(', ')
  if (!(error instanceof Error)) return String(error)
  const { code } = error as NodeJS.ErrnoException
  return (error.message || code || error.name)
    .split('\n')
    .map(trimBlanks)
    .filter((line) => line !== '')
    .join('; ')
}
