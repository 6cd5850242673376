import { trimBlanks } from '../../text/normalize-text.ts'
/*
 * Numbers and booleans of custom attributes. A column has one type, so a number that would lose something, such as
 * zeros in front, makes all of its values texts.
 */

const NUMBER = /^-?(?:0|[1-9][0-9]{0,14})(?:\.[0-9]{1,6})?$/
/** 45,000 and 45.000 are a fraction in some countries, and thousands in others. */
const AMBIGUOUS = /^-?[1-9][0-9]{0,2}\.[0-9]{3}$/

/** Whether a text is a number from which nothing is lost. */
export function isNumberText(text: string): boolean {
  return readNumber(text).json === normalize(text)
}

/** Reads a number as JSON, whose decimal sign may be a comma. A fault goes on after the text. */
export function readNumber(text: string): { json: string; fault?: undefined } | { json?: undefined; fault: string } {
  const number = normalize(text)
  if (AMBIGUOUS.test(number)) {
    const spellings = `${number.replace('.', '')} or as ${number}0`
    return { fault: `may be thousands or a fraction. Write it as ${spellings}, or choose text for the column` }
  }
  return NUMBER.test(number) ? { json: JSON.stringify(Number(number)) } : { fault: 'is not a number' }
}

function normalize(text: string): string {
  return trimBlanks(text).replace(',', '.')
}

export function isBooleanText(text: string): boolean {
  return /^(?:true|false)$/i.test(trimBlanks(text))
}
