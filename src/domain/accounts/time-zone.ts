/** The names of time zones to choose from: those of the IANA database that this machine knows, and UTC. */
export const TIME_ZONES: readonly string[] = ['UTC', ...Intl.supportedValuesOf('timeZone')]

export const MAX_TIME_ZONE_CHARACTERS = 64

const BY_LOWER_CASE = new Map(TIME_ZONES.map((name) => [name.toLowerCase(), name]))

/**
 * The IANA name that a text means; null when it names no time zone. A name that the list leaves out, because another
 * one means the same place (`Asia/Kolkata`, `Europe/Kyiv`), is good as it stands. Offsets are refused: they know nothing
 * of summer time.
 */
export function readTimeZone(text: string): string | null {
  const listed = BY_LOWER_CASE.get(text.toLowerCase())
  if (listed !== undefined) return listed
  return text.length <= MAX_TIME_ZONE_CHARACTERS && /^[A-Z]/.test(text) && isKnown(text) ? text : null
}

function isKnown(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    // Intl has no other way to tell.
    return false
  }
}
