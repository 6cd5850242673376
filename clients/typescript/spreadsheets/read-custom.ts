/*
 * Numbers and booleans of custom attributes. A column has one type, so a number with zeros in front makes all of its values
 * texts.
 */

const NUMBER = /^-?(?:0|[1-9][0-9]{0,14})(?:[.,][0-9]{1,6})?$/

/** Whether a text is a number from which nothing is lost. */
export function isNumberText(text: string): boolean {
  return NUMBER.test(text.trim())
}

/** Reads a number as JSON, whose decimal sign may be a comma; null if it is none. */
export function readNumber(text: string): string | null {
  return isNumberText(text) ? JSON.stringify(Number(text.trim().replace(',', '.'))) : null
}

export function isBooleanText(text: string): boolean {
  return /^(?:true|false)$/i.test(text.trim())
}
