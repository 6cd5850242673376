import { cleanPhone } from '#text/clean-phone'
import {
  type CountryCode,
  getCountries,
  getCountryCallingCode,
  isSupportedCountry,
  Metadata,
  parsePhoneNumberWithError,
  ParseError,
} from 'libphonenumber-js/min'
import type { Fault } from './record-faults.ts'

/*
 * A number is taken if its length is possible for its country. Whether it is assigned is not asked: numbering plans change
 * faster than libraries.
 */

/** The longest text that is looked at, in UTF-16 units: several times what a number takes in any spelling. */
const MAX_UNITS = 64
const E164 = /^\+[1-9][0-9]{1,14}$/

type PhoneFault = Extract<Fault['kind'], `${string}phone${string}`>

interface PhoneReading {
  /** E.164; undefined if the text is no number that can be called. */
  value?: string
  /** What is wrong. */
  fault?: PhoneFault
  /** Whether the country is all that is missing. */
  isLocal?: true
}

/**
 * Reads a number in any usual spelling. A local one is read as a number of `country` (ISO 3166-1 alpha-2); without a
 * country, it is a fault.
 */
export function readPhoneNumber(sent: string, country: string | null = null): PhoneReading {
  if (isPossibleNumber(sent)) return { value: sent }
  if (sent.length > MAX_UNITS) return { fault: 'phone_too_long' }
  const text = cleanPhone(sent, country)
  try {
    const options = { extract: false, ...(isPhoneCountry(country) ? { defaultCountry: country } : {}) }
    const number = parsePhoneNumberWithError(text, options)
    if (number.ext !== undefined) return { fault: 'phone_with_extension' }
    return number.isPossible() ? { value: number.number } : { fault: 'phone_of_wrong_length' }
  } catch (error) {
    if (!(error instanceof ParseError)) throw error
    if (error.message === 'INVALID_COUNTRY' && !text.startsWith('+'))
      return { fault: 'phone_without_country', isLocal: true }
    return { fault: FAULTS[error.message] ?? 'not_phone' }
  }
}

/** The faults of the library. */
const FAULTS: Readonly<Record<string, PhoneFault>> = {
  INVALID_COUNTRY: 'phone_of_no_country',
  TOO_SHORT: 'phone_too_short',
  TOO_LONG: 'phone_too_long',
  INVALID_LENGTH: 'phone_of_wrong_length',
}

/** The countries (ISO 3166-1 alpha-2) whose local numbers can be read. */
export const PHONE_COUNTRIES: readonly string[] = getCountries()

/** Whether local numbers of a country (ISO 3166-1 alpha-2) can be read. */
export function isPhoneCountry(code: string | null): code is CountryCode {
  return code !== null && isSupportedCountry(code)
}

/** The lengths that numbers can have behind each country code, which several countries may share. */
const LENGTHS: ReadonlyMap<string, ReadonlySet<number>> = readLengths()

function readLengths() {
  const lengths = new Map<string, Set<number>>()
  for (const country of getCountries()) {
    const code = getCountryCallingCode(country)
    const known = lengths.get(code) ?? new Set()
    for (const length of planOf(country).possibleLengths()) known.add(length)
    lengths.set(code, known)
  }
  return lengths
}

function planOf(country: CountryCode) {
  const metadata = new Metadata()
  metadata.selectNumberingPlan(country)
  return metadata.numberingPlan!
}

/** Whether a text is a number as it is stored: parsing takes many times as long, and most are sent so. */
export function isPossibleNumber(e164: string) {
  if (!E164.test(e164)) return false
  for (const digits of [1, 2, 3]) {
    const lengths = LENGTHS.get(e164.slice(1, 1 + digits))
    if (lengths) return lengths.has(e164.length - 1 - digits)
  }
  return false
}
