import { trimBlanks } from '../../text/normalize-text.ts'
import { getCountries } from 'libphonenumber-js/min'
import { simplify } from '../words/recognize-header.ts'
import { isPhoneCountry } from './read-phone.ts'

/** The languages whose names of countries are read, beside the codes of ISO 3166-1 with two letters. */
const LANGUAGES =
  'en de fr es it nl pl pt ja zh zh-Hant ru ar tr cs sv da nb fi he th ko vi hu el ro uk bg hr sk sl lt lv et id fa hi'

/** Other names that people write, which the standard data don't have. */
const OTHERS: Readonly<Record<string, string>> = { uk: 'GB', 'great britain': 'GB', england: 'GB', usa: 'US' }

/** The codes by the names in the languages that have been needed, and the languages that have not. */
const known = new Map<string, string>(Object.entries(OTHERS))
const further = LANGUAGES.split(' ')

function loadLanguage(): void {
  const display = new Intl.DisplayNames([further.shift()!], { type: 'region', fallback: 'none' })
  for (const code of getCountries()) {
    const name = display.of(code)
    if (name === undefined) continue
    const simple = simplify(name)
    if (!known.has(simple)) known.set(simple, code)
  }
}

/**
 * Loads the names of countries in pieces, if a column needs them: all languages together take as long as a request may.
 * Without it, the first name that is read waits for them.
 */
export function* loadCountryNames(columns: readonly { to: string | null }[]): Generator<void, void, void> {
  if (!columns.some(({ to }) => to === 'phone_country')) return
  for (; further.length > 0; yield) loadLanguage()
}

/** Of a longer text, so many UTF-16 units are looked at. */
const MAX_LENGTH = 64

/** Reads a country by its code or its name, in many languages, as the code (ISO 3166-1 alpha-2); null if it is none. */
export function readCountryName(cell: string): string | null {
  const text = trimBlanks(cell.slice(0, MAX_LENGTH))
  const code = text.toUpperCase()
  if (isPhoneCountry(code)) return code
  if (text.length < 2) return null
  const simple = simplify(text)
  for (;;) {
    const found = known.get(simple)
    if (found !== undefined || further.length === 0) return found ?? null
    loadLanguage()
  }
}

/** Whether a text is a country, as people write it: not two letters in lower case. */
export function isCountryName(text: string): boolean {
  return (text.length > 2 || text === text.toUpperCase()) && readCountryName(text) !== null
}
