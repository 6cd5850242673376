/*
 * Text is compared as people read it: composed (Unicode NFC), and without what nobody sees at its ends. What nobody sees
 * inside a text makes two names look like one, so it is refused, apart from what scripts need to be written.
 */

/** White_Space of Unicode, U+180E, zero-width characters, joiners and directional marks. All take one UTF-16 unit. */
const BLANK = /[\p{White_Space}\u061c\u180e\u200b-\u200f\u2060\ufeff]/u

const PLAIN = /^[!-~](?:[ -~]*[!-~])?$/

/**
 * Whether a text is printable ASCII without a space at its ends, as most are: there is nothing to normalize or refuse.
 */
export function isPlain(text: string): boolean {
  return PLAIN.test(text)
}

/** NFC composes at most four code points, of at most two UTF-16 units each, into one. */
const UNITS_COMPOSED_TO_ONE = 8

/** More marks in a row than a letter needs that NFC makes shorter. */
const MARKS = /[\p{M}\uff9e\uff9f]{9}/u

/**
 * Whether a text may have no more than this many code points once it is normalized. One that is longer before, and has
 * many marks in a row, may not: it would take long to sort them.
 */
export function mayFit(text: string, maxCharacters: number): boolean {
  if (text.length <= maxCharacters) return true
  return text.length <= UNITS_COMPOSED_TO_ONE * maxCharacters && !MARKS.test(text)
}

/** Takes the blanks at both ends off a text: linear in its length. */
export function trimBlanks(text: string): string {
  let [start, end] = [0, text.length]
  while (start < end && isBlank(text, start)) start += 1
  while (end > start && isBlank(text, end - 1)) end -= 1
  return text.slice(start, end)
}

/** Whether each UTF-16 unit is a blank, as far as it was asked: a text may have nothing else. */
const KNOWN = new Int8Array(0x10000)

function isBlank(text: string, at: number) {
  const code = text.charCodeAt(at)
  // Most texts begin and end with printable ASCII.
  if (code > 0x20 && code < 0x7f) return false
  KNOWN[code] ||= BLANK.test(text.charAt(at)) ? 1 : -1
  return KNOWN[code] === 1
}

/** The form in which a text is stored and compared: NFC, without blanks at its ends. A second time changes nothing. */
export function normalizeText(sent: string): string {
  return isPlain(sent) ? sent : trimBlanks(sortable(trimBlanks(sent)).normalize('NFC'))
}

/** The form in which texts are searched: neither case nor the variants of a character matter (Unicode NFKC). */
export function foldText(text: string): string {
  return (PRINTABLE.test(text) ? text : sortable(text).normalize('NFKC')).toLowerCase()
}

/** More UTF-16 units than any text that is stored has. */
const MAX_SORTED = 2_000

/** Signs that stand for phrases, which NFKC writes out, and the letter with which they end. */
const PHRASES = /[\ufdfa\ufdfb]/g
const LAST_OF_PHRASE = '\u0645'

/**
 * A text as it can be normalized in a short time: one that is too long to be stored loses marks that no letter has, and
 * whole phrases in one sign.
 */
function sortable(text: string) {
  return text.length > MAX_SORTED ? cutMarks(text).replaceAll(PHRASES, LAST_OF_PHRASE) : text
}

/** The form in which the names of columns are compared: case, width, and blanks don't matter. */
export function foldLabel(text: string): string {
  return foldText(text).replaceAll(BLANKS, '')
}

const BLANKS = new RegExp(BLANK, 'gu')

/** Printable ASCII, which NFKC leaves as it is. */
const PRINTABLE = /^[\x20-\x7e]*$/

/**
 * The form in which email addresses are stored and found: without blanks at the ends, Unicode NFKC, lower case. Different
 * addresses can have the same form, so it proves nothing.
 */
export function normalizeEmail(sent: string): string {
  // Lower-casing can undo NFKC, so normalize before and after. Some signs begin with a blank then.
  return trimBlanks(foldText(foldText(trimBlanks(sent))))
}

/** More marks in a row than any letter has (UAX #15, section 13), and the signs that become marks in NFKC. */
const TOO_MANY_MARKS = /([\p{M}\uff9e\uff9f]{30})[\p{M}\uff9e\uff9f]+/gu

/** Whether a text has such runs of marks: the time to normalize them grows with the square of their number. */
export function hasManyMarks(text: string): boolean {
  return text.search(TOO_MANY_MARKS) >= 0
}

/** Cuts such runs of marks in a long text. */
export function cutMarks(text: string): string {
  return text.replaceAll(TOO_MANY_MARKS, '$1')
}

/** The forms in which a text may be stored: as it was sent, in older ledgers, and normalized. */
export function listStoredForms(sent: string): string[] {
  return [...new Set([sent, normalizeText(sent)])]
}

/** Scripts in which joiners choose the shape of the letters beside them. */
const JOINING_SCRIPTS =
  'Arabic Syriac Mandaic Mongolian Nko Phags_Pa Devanagari Bengali Gurmukhi Gujarati ' +
  'Oriya Tamil Telugu Kannada Malayalam Sinhala Khmer Myanmar Tibetan Balinese Javanese'
const JOINING_LETTER = `[${JOINING_SCRIPTS.replaceAll(/(\w+) ?/g, String.raw`\p{Script_Extensions=$1}`)}]`
const EMOJI = String.raw`\p{Extended_Pictographic}[\ufe0f\u{1f3fb}-\u{1f3ff}]?`

/** Invisible characters that belong to what stands before them. */
const BELONGING = [
  String.raw`(?<=${JOINING_LETTER})[\u200c\u200d](?=${JOINING_LETTER})`,
  String.raw`(?<=${EMOJI})\u200d(?=\p{Extended_Pictographic})`,
  // Variants of ideographs, of symbols, of the digits on keycaps, and of Mongolian letters.
  String.raw`(?<=\p{Ideographic})[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]`,
  String.raw`(?<=[\p{Extended_Pictographic}\p{S}])[\ufe00-\ufe0f]`,
  String.raw`(?<=[#*0-9])\ufe0f(?=\u20e3)`,
  String.raw`(?<=\p{Script=Mongolian})[\u180b-\u180d\u180f]`,
  // The flags of regions: with a bound, so that looking back takes no longer in a longer text.
  String.raw`(?<=\u{1f3f4}[\u{e0061}-\u{e007a}]{0,30})[\u{e0061}-\u{e007f}]`,
]

const INVISIBLE = new RegExp(
  String.raw`(?!${BELONGING.join('|')})[\p{Cc}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]`,
  'u',
)

/** A control or invisible character of a text. */
interface InvisibleCharacter {
  kind: 'control_character' | 'invisible_character'
  /** As `U+200B`. */
  character: string
}

/** Finds the first control or invisible character of a normalized text; null if it contains none. */
export function findInvisible(text: string): InvisibleCharacter | null {
  if (isPlain(text)) return null
  const [character] = INVISIBLE.exec(text) ?? []
  if (character === undefined) return null
  const codePoint = character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')
  const kind = /\p{Cc}/u.test(character) ? 'control_character' : 'invisible_character'
  return { kind, character: `U+${codePoint}` }
}
