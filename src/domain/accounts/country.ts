import { isPhoneCountry, PHONE_COUNTRIES } from '../phone-number.ts'
import { trimBlanks } from '#text/normalize-text'

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
