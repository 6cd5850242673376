import { FileError } from '../file-error.ts'

/** The marks of letters with marks, such as those of `eacute` and `Scaron`, as combining characters. */
const MARKS: Readonly<Record<string, string>> = {
  grave: '\u0300',
  acute: '\u0301',
  circ: '\u0302',
  tilde: '\u0303',
  uml: '\u0308',
  ring: '\u030a',
  caron: '\u030c',
  cedil: '\u0327',
}

/** Other characters of names that web pages write by their names. */
const CHARACTERS: Readonly<Record<string, string>> = {
  szlig: 'ß',
  aelig: 'æ',
  AElig: 'Æ',
  oelig: 'œ',
  OElig: 'Œ',
  oslash: 'ø',
  Oslash: 'Ø',
  eth: 'ð',
  ETH: 'Ð',
  thorn: 'þ',
  THORN: 'Þ',
  rsquo: '’',
  lsquo: '‘',
  ndash: '–',
  mdash: '—',
  ordf: 'ª',
  ordm: 'º',
  bull: '•',
  copy: '©',
  hellip: '…',
  reg: '®',
}

/** Those of which a page consists, and others that the library reads, stay as they are. */
const KEPT = new Set(['amp', 'lt', 'gt', 'quot', 'apos', 'nbsp', 'middot'])
const KEPT_CHARACTERS: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

const C1 = new TextDecoder('windows-1252')

/** The character of a number, as browsers read it (HTML, section 13.2.5.80). */
function characterOf(code: number): string {
  if (code >= 0x80 && code <= 0x9f) return C1.decode(Uint8Array.of(code))
  const isCharacter = code > 0 && code <= 0x10_ff_ff && (code < 0xd8_00 || code > 0xdf_ff)
  return isCharacter ? String.fromCodePoint(code) : '\ufffd'
}

/** Decodes the characters that a web page writes by number or name. Throws FileError for a name that is not known. */
export function decodeEntities(page: string): string {
  return page.replaceAll(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z][a-z0-9]{1,31}));/gi, (whole, decimal, hex, name) => {
    if (name === undefined) {
      const character = characterOf(decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal))
      return KEPT_CHARACTERS[character] ?? character
    }
    if (KEPT.has(name.toLowerCase())) return whole
    const mark = MARKS[name.slice(1)]
    const character = CHARACTERS[name] ?? (mark && (name[0] + mark).normalize())
    if (character?.length !== 1)
      throw new FileError(1, `The page writes a character as "${whole}". Open it in Excel, and save it as .xlsx`)
    return character
  })
}
