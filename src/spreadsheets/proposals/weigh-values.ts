import { trimBlanks } from '../../text/normalize-text.ts'
import { readAddress } from '../cells.ts'
import type { ColumnSample } from './column-samples.ts'
import { isCountryName } from '../values/read-country.ts'
import { findDateOrders, hasTime } from '../values/read-date.ts'
import { isLocalPhone } from '../values/read-phone.ts'
import { readYesOrNo } from '../words/status-words.ts'

/*
 * What the values of a column tell about it, in any language. Each is the share of its different values that look so;
 * nothing is known about a column without values.
 */

export interface Evidence {
  /** The share of addresses such as ana@example.com. */
  addresses: number
  dates: number
  /** The numbers of days that spreadsheets show for dates, apart from round ones, which are amounts. */
  dayNumbers: number
  /** Texts that name a year, an era, or a moment, and that are no dates: 2024-W22, Q2 2024, R6.3.31, 1717113600000. */
  periods: number
  /** Of the dates, those with a time of day other than midnight. */
  times: number
  phones: number
  /** Phone numbers with a country code. */
  international: number
  /** Numbers, and texts with digits and without blanks. */
  codes: number
  /** Texts of letters. */
  texts: number
  /** Texts of two to four words, or with a comma, that have no digits. */
  fullNames: number
  /** Whether texts are written without blanks, in Chinese, Japanese, or Korean. */
  isUnspaced: boolean
  /** Texts of one word, or of two. */
  shortNames: number
  /** Whether all are names or codes of countries. It is found out on demand: that takes the names in all languages. */
  readonly areCountries: boolean
  /** Whether nearly no value occurs twice. */
  isUnique: boolean
  /** Whether the values only number the rows: 1, 2, 3. */
  isCounter: boolean
  /** Whether the values are a few words, of which at least one occurs several times. */
  isFew: boolean
  /** Whether the values are yes and no, or one mark that some rows have. */
  isFlag: boolean
}

/** How many different words are a few, and their length. */
const FEW = 12
const MAX_WORD = 40
/** The share of different values of a column that identifies people. */
const UNIQUE_SHARE = 0.9
/** The values that are looked at. */
const MAX_VALUES = 200

const ADDRESS = /^[^\s@]+@[^\s@]+$/
const FULL_NAME = /^[\p{L}\p{M}'’.-]+(?:,? [\p{L}\p{M}'’.-]+){1,3}$/u
const UNSPACED = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]{2,}$/u
const SHORT_NAME = /^(?:[\p{L}\p{M}'’.-]{2,}(?: [\p{L}\p{M}'’.-]+)?|[\p{Script=Han}\p{Script=Hangul}])$/u

const YEAR = /(?<![\p{L}\d.])(?:19|20)\d\d(?![\d.])/u
const YEAR_AND_MONTH = /^20\d\d(?:0[1-9]|1[0-2])$/
const YEAR_OF_ERA = /^(?:[RHS]\d{1,2}[./-]|令和|平成|昭和)\d/
/** Seconds or milliseconds since 1970. */
const UNIX_TIME = /^1\d{9}(?:\d{3})?$/
const PERIODS = [YEAR, YEAR_AND_MONTH, YEAR_OF_ERA, UNIX_TIME]
const MAX_PERIOD = 20

function namesPeriod(text: string) {
  return text.length <= MAX_PERIOD && PERIODS.some((period) => period.test(text)) && !isDateText(text)
}

/** Weighs the values of a column. `rows` is how many rows the file has. */
export function weighValues({ values, filled }: ColumnSample, rows: number): Evidence {
  const texts = [...values.keys()].slice(0, MAX_VALUES).map((value) => trimBlanks(value.normalize('NFKC')))
  const share = (isSo: (text: string) => boolean) => (texts.length === 0 ? 0 : texts.filter(isSo).length / texts.length)
  const counted = [...values.values()].reduce((sum, count) => sum + count, 0)
  const hasLetters = (text: string) => /\p{L}/u.test(text) && !/\d/.test(text)
  const isShort = texts.length > 0 && values.size <= FEW && texts.every(({ length }) => length <= MAX_WORD)
  const isAnswer = values.size <= 2 && texts.every((text) => readYesOrNo(text) !== undefined)
  const isMark = values.size === 1 && texts.every((text) => /^\D{1,2}$/.test(text))
  return {
    addresses: share((text) => ADDRESS.test(readAddress(text))),
    dates: share(isDateText),
    periods: share(namesPeriod),
    times: share(hasTime),
    dayNumbers: texts.length > 2 && texts.every((text) => text.endsWith('0')) ? 0 : share(isDayNumber),
    phones: share(isPhoneText),
    international: share((text) => isPhoneText(text) && /^(?:\+|00)/.test(text)),
    codes: share((text) => /\p{Nd}/u.test(text) && !/\s/.test(text) && !isDateText(text) && !text.includes('@')),
    texts: share((text) => hasLetters(text) && !text.includes('@')),
    fullNames: share((text) => FULL_NAME.test(text)),
    shortNames: share((text) => SHORT_NAME.test(text)),
    get areCountries() {
      return texts.length > 0 && texts.every(isCountryName)
    },
    isUnspaced: texts.some((text) => UNSPACED.test(text)),
    isUnique: counted > 0 && values.size >= counted * UNIQUE_SHARE,
    isCounter: texts.length > 2 && texts.every((text, at) => text === String(at + 1)),
    isFew: isShort && values.size < counted && !texts.every((text) => ADDRESS.test(text) || isPhoneText(text)),
    isFlag: isShort && (isAnswer || (isMark && filled < rows)),
  }
}

/** Whether a text is a date to anybody: a number alone is one only if it has the year first, and eight digits. */
export function isDateText(text: string): boolean {
  if (/^\d+(?:[.,]0+)?$/.test(text))
    return /^(?:(?:(?:19|20|99)\d|299)\d{5}|0{8})$/.test(text) && findDateOrders(text) !== null
  return /\d/.test(text) && (findDateOrders(text)?.length ?? -1) >= 0 && /[-./\s年월]/.test(text)
}

/** Whether a text may be the number of a day from 1954 to 2064. */
function isDayNumber(text: string): boolean {
  return /^[2-5]\d{4}(?:[.,]0+)?$/.test(text)
}

/** Whether a text is a phone number to anybody. */
function isPhoneText(text: string): boolean {
  const digits = text.replaceAll(/\D/g, '').length
  if (digits < 7 || digits > 17 || !/^[+(\d][\d\s()./+-]*$/.test(text) || isDateText(text)) return false
  return /^(?:\+|00)/.test(text) || ((/^[0(]/.test(text) || /[\s()/-]/.test(text)) && isLocalPhone(text))
}
