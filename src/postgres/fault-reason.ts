/** Why a connection or a statement failed, in one line. */
export function faultReason(error: unknown): string {
  // A name with several addresses fails once for each of them, in an error that says nothing itself.
  if (error instanceof AggregateError) return [...new Set(error.errors.map(faultReason))].join(', ')
  if (!(error instanceof Error)) return String(error)
  const { code } = error as NodeJS.ErrnoException
  return (error.message || code || error.name).replaceAll(/\s*\n\s*/g, '; ')
}
