import { getCountries } from 'libphonenumber-js/min'
import { simplify } from './recognize-header.ts'
import { isPhoneCountry } from './read-phone.ts'

/** The languages whose names of countries are read, beside the codes of ISO 3166-1 with two letters. */
const LANGUAGES =
  'en de fr es it nl pl pt ja zh zh-Hant ru ar tr cs sv da nb fi he th ko vi hu el ro uk bg hr sk sl lt lv et id fa hi'

/** Other names that people write, which the standard data don't have. */
const OTHERS: Readonly<Record<string, string>> = { uk: 'GB', 'great britain': 'GB', england: 'GB', usa: 'US' }

function listNames(): ReadonlyMap<string, string> {
  const found = new Map<string, string>(Object.entries(OTHERS))
  for (const language of LANGUAGES.split(' ')) {
    const display = new Intl.DisplayNames([language], { type: 'region', fallback: 'none' })
    for (const code of getCountries()) {
      const name = display.of(code)
      if (name !== undefined && !found.has(simplify(name))) found.set(simplify(name), code)
    }
  }
  return found
}

const NAMES = listNames()

/** Of a longer text, so many UTF-16 units are looked at. */
const MAX_LENGTH = 64

/** Reads a country by its code or its name, in many languages, as the code (ISO 3166-1 alpha-2); null if it is none. */
export function readCountryName(cell: string): string | null {
  const text = cell.slice(0, MAX_LENGTH).trim()
  const code = text.toUpperCase()
  if (isPhoneCountry(code)) return code
  if (text.length < 2) return null
  return NAMES.get(simplify(text)) ?? null
}

/** Whether a text is a country, as people write it: not two letters in lower case. */
export function isCountryName(text: string): boolean {
  return (text.length > 2 || text === text.toUpperCase()) && readCountryName(text) !== null
}
