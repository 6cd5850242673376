import { isPhoneCountry, PHONE_COUNTRIES } from '#domain/phone-number'
import { trimBlanks } from '#text/normalize-text'

/** The time zones to choose from: UTC and the IANA names that this machine knows. */
export const TIME_ZONES: readonly string[] = ['UTC', ...Intl.supportedValuesOf('timeZone')]

export const MAX_TIME_ZONE_CHARACTERS = 64

const BY_LOWER_CASE = new Map(TIME_ZONES.map((name) => [name.toLowerCase(), name]))

/**
 * Reads the IANA name of a time zone, in any case; null if it names none. Aliases that the list leaves out, such as
 * `Asia/Kolkata` or `Europe/Kyiv`, are accepted as written. Offsets are not, because they ignore daylight saving time.
 */
export function readTimeZone(text: string): string | null {
  const listed = BY_LOWER_CASE.get(text.toLowerCase())
  if (listed !== undefined) return listed
  return text.length <= MAX_TIME_ZONE_CHARACTERS && /^[A-Z]/.test(text) && isKnown(text) ? text : null
}

function isKnown(name: string) {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    // Intl has no other check.
    return false
  }
}

const NAMES = new Intl.DisplayNames('en', { type: 'region' })

/** The countries to choose from, as ISO 3166-1 alpha-2 codes, in the order of their English names. */
export const COUNTRIES: readonly { code: string; name: string }[] = PHONE_COUNTRIES.map((code) => ({
  code,
  name: NAMES.of(code)!,
})).sort((one, other) => one.name.localeCompare(other.name, 'en'))

/** Reads the ISO 3166-1 alpha-2 code of a country, in any case; null if it has no phone numbers of its own. */
export function readCountry(text: string): string | null {
  const code = trimBlanks(text).toUpperCase()
  return isPhoneCountry(code) ? code : null
}
