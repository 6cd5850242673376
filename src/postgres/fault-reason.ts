/** The reason why a connection or a statement failed, in one line. */
export function faultReason(error: unknown): string {
  // A host with several addresses fails once for each, in an error without a message of its own.
  if (error instanceof AggregateError) return [...new Set(error.errors.map(faultReason))].join(', ')
  if (!(error instanceof Error)) return String(error)
  const { code } = error as NodeJS.ErrnoException
  return (error.message || code || error.name).replaceAll(/\s*\n\s*/g, '; ')
}
