import { trimBlanks } from '../../text/normalize-text.ts'
import { TextDecoder } from 'node:util'

/** The encodings that a file may have, by their labels in the Encoding Standard, and what people call them. */
export const ENCODINGS = {
  'utf-8': 'Unicode (UTF-8)',
  'utf-16le': 'Unicode (UTF-16)',
  'utf-16be': 'Unicode (UTF-16, big endian)',
  'windows-1252': 'Western European (Windows-1252)',
  'windows-1250': 'Central European (Windows-1250)',
  'windows-1251': 'Cyrillic (Windows-1251)',
  'windows-1253': 'Greek (Windows-1253)',
  'windows-1254': 'Turkish (Windows-1254)',
  'windows-1255': 'Hebrew (Windows-1255)',
  'windows-1256': 'Arabic (Windows-1256)',
  'windows-1257': 'Baltic (Windows-1257)',
  'windows-1258': 'Vietnamese (Windows-1258)',
  'windows-874': 'Thai (Windows-874)',
  'iso-8859-2': 'Central European (ISO-8859-2)',
  'iso-8859-3': 'South European (ISO-8859-3)',
  'iso-8859-4': 'North European (ISO-8859-4)',
  'iso-8859-5': 'Cyrillic (ISO-8859-5)',
  'iso-8859-6': 'Arabic (ISO-8859-6)',
  'iso-8859-7': 'Greek (ISO-8859-7)',
  'iso-8859-8': 'Hebrew (ISO-8859-8)',
  'iso-8859-10': 'Nordic (ISO-8859-10)',
  'iso-8859-13': 'Baltic (ISO-8859-13)',
  'iso-8859-14': 'Celtic (ISO-8859-14)',
  'iso-8859-15': 'Western European (ISO-8859-15)',
  'iso-8859-16': 'Romanian (ISO-8859-16)',
  'koi8-r': 'Cyrillic (KOI8-R)',
  'koi8-u': 'Cyrillic (KOI8-U)',
  macintosh: 'Western European (Mac Roman)',
  'x-mac-cyrillic': 'Cyrillic (Macintosh)',
  ibm866: 'Cyrillic (DOS, 866)',
  shift_jis: 'Japanese (Shift_JIS)',
  'euc-jp': 'Japanese (EUC-JP)',
  gb18030: 'Chinese, simplified (GBK, GB18030)',
  big5: 'Chinese, traditional (Big5)',
  'euc-kr': 'Korean (EUC-KR, Windows-949)',
} as const satisfies Record<string, string>

/** An encoding, by its label in the Encoding Standard. */
export type Encoding = keyof typeof ENCODINGS

/** Labels that people use and the Encoding Standard lacks. */
const OTHER_LABELS: ReadonlyMap<string, Encoding> = new Map([
  ['mac-roman', 'macintosh'],
  ['macroman', 'macintosh'],
  ['cp932', 'shift_jis'],
  ['cp949', 'euc-kr'],
  ['cp936', 'gb18030'],
  ['cp950', 'big5'],
])

/** What to do with a file whose encoding is none of these, such as 437 and 850 of MS-DOS. Follows the encoding. */
export const UNREADABLE_ENCODING = 'cannot be read. Save the file as CSV (UTF-8) or as an Excel workbook (.xlsx)'

/** Reads the label of an encoding, such as `latin1`; null if files cannot have it. */
export function readEncoding(label: string): Encoding | null {
  const known = OTHER_LABELS.get(trimBlanks(label).toLowerCase())
  if (known) return known
  try {
    const { encoding } = new TextDecoder(label)
    const name = encoding === 'gbk' ? 'gb18030' : encoding === 'iso-8859-8-i' ? 'iso-8859-8' : encoding
    return Object.hasOwn(ENCODINGS, name) ? (name as Encoding) : null
  } catch {
    return null
  }
}
