import { cleanPhone } from '../../text/clean-phone.ts'
import type { CountryCode } from 'libphonenumber-js/min'
import { isSupportedCountry, parsePhoneNumberWithError, ParseError } from 'libphonenumber-js/min'

/** The longest text that is looked at, in UTF-16 units. */
const MAX_LENGTH = 64

/** The fault of a local number whose country is not known. */
export const NO_COUNTRY_CODE = 'has no country code'

type PhoneReading = ({ value: string; fault?: undefined } | { value?: undefined; fault: string }) & {
  /** The number, if the text has several. */
  only?: string
}

/** Whether it is the code of a country (ISO 3166-1 alpha-2) whose local numbers can be read. */
export function isPhoneCountry(text: string): text is CountryCode {
  return isSupportedCountry(text)
}

/** The fewest digits of a local number: a text with fewer is none, or damaged. */
const LOCAL_DIGITS = 6

/** Whether it is a phone number that can only be read with a country. */
export function isLocalPhone(text: string): boolean {
  if (text.length > MAX_LENGTH) return false
  return countDigits(text) >= LOCAL_DIGITS && readPhone(text, '').fault === NO_COUNTRY_CODE
}

/** Finds the country of most numbers that have a country code; undefined if none has. */
export function findCountry(texts: readonly string[]): CountryCode | undefined {
  const counts = new Map<CountryCode, number>()
  for (const text of texts) {
    const { value } = readPhone(text, '')
    const country = value && parsePhoneNumberWithError(value).getPossibleCountries()[0]
    if (country) counts.set(country, (counts.get(country) ?? 0) + 1)
  }
  return [...counts].toSorted(([, a], [, b]) => b - a)[0]?.[0]
}

/** Reads a phone number as E.164. A local number is one of the country. Of several numbers, the first one is read. */
export function readPhone(sent: string, country: string): PhoneReading {
  if (sent.length > MAX_LENGTH) return { fault: 'is too long for a phone number' }
  const text = cleanPhone(sent, country).replaceAll(SLASH_BETWEEN_NUMBERS, ';')
  const reading = readNumber(text, country)
  if (reading.fault === undefined) return reading
  const parts = text.split(BETWEEN_NUMBERS).filter((part) => countDigits(part) > 0)
  // What is no number may be an extension, without which nobody reaches the person.
  if (parts.length === 1 || parts.some((part) => countDigits(part) < LOCAL_DIGITS)) return reading
  for (const part of parts) {
    const { value, fault } = readNumber(part.trim(), country)
    if (value !== undefined) return { value, only: value }
    if (fault === NO_COUNTRY_CODE) return { fault, only: part.trim() }
  }
  return reading
}

/** Between so many digits, a slash doesn't stand behind the code of an area. */
const SLASH_BETWEEN_NUMBERS = /(?<=(?:\d[^\d/]*){9})\/(?=(?:[^\d/]*\d){5})/g
const BETWEEN_NUMBERS = /[;,|&#\n]|\p{L}[\p{L}.:]*/u

const countDigits = (text: string) => text.replaceAll(/[^0-9]/g, '').length

function readNumber(text: string, country: string): PhoneReading {
  try {
    const number = parsePhoneNumberWithError(text, {
      extract: false,
      ...(isPhoneCountry(country) ? { defaultCountry: country } : {}),
    })
    if (number.ext !== undefined) return { fault: 'has an extension, which a phone number cannot have' }
    return number.isPossible() ? { value: number.number } : { fault: 'is not a complete phone number of its country' }
  } catch (error) {
    if (!(error instanceof ParseError)) throw error
    return { fault: error.message === 'INVALID_COUNTRY' ? NO_COUNTRY_CODE : 'is not a phone number' }
  }
}
