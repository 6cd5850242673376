import { chooseEncoding } from './choose-encoding.ts'
import { createDecoder } from '../encodings/create-decoder.ts'
import { createEncodingDetector } from '../encodings/detect-encoding.ts'
import type { Encoding } from '../encodings/encodings.ts'
import { ENCODINGS, readEncoding } from '../encodings/encodings.ts'
import { FileError } from '../file-error.ts'
import type { FileAnswers } from './file-question.ts'

/** The bytes of a file in chunks, from its beginning. */
export type Chunks = AsyncIterable<Uint8Array>

/** How a file is read: as a workbook, or as text in an encoding. `markup` is a table as a web page or in XML. */
export type FileFormat = { kind: 'workbook' } | { kind: 'csv' | 'json' | 'markup'; encoding: Encoding }

/**
 * Finds out how a file is to be read. Reads it to its end. Throws FileError if the file is empty, or is no text,
 * and FileQuestion if its encoding is not certain.
 */
export async function recognizeFile(chunks: Chunks, { encoding: given }: FileAnswers): Promise<FileFormat> {
  const detector = createEncodingDetector(given)
  let start = Buffer.alloc(0)
  for await (const chunk of chunks) {
    if (start.length < START) {
      start = Buffer.concat([start, chunk])
      if (isWorkbook(start)) return { kind: 'workbook' }
    }
    detector.push(chunk)
  }
  const { encoding, firstCharacters } = detector.finish()
  if (firstCharacters === null) throw new FileError(1, 'The file is empty')
  const isMarkup = MARKUP.test(firstCharacters)
  if (!isMarkup && firstCharacters.startsWith('<?xml'))
    throw new FileError(1, 'This is XML. Open it in Excel, and save it as an Excel workbook (.xlsx)')
  if (/^(?:version: 1\s+)?dn:/i.test(firstCharacters))
    throw new FileError(1, 'This is a file of a directory (LDIF). Export the people as CSV or JSON')
  const declared = isMarkup ? readEncoding(CHARSET.exec(firstCharacters)?.[1] ?? '') : null
  return {
    encoding: typeof encoding === 'string' ? encoding : (declared ?? (await chooseEncoding(encoding.sample))),
    kind: isMarkup ? 'markup' : JSON_START.test(firstCharacters) ? 'json' : 'csv',
  }
}

/** A web page, or a workbook as one XML file: many programs write those, and call them .xls. */
const MARKUP = /^(?:<\?[^>]*>\s*)*<(?:!doctype html|html|head|body|meta|style|table|(?:ss:)?Workbook)\b/i

/** What a web page or XML says about its encoding. */
const CHARSET = /(?:charset|encoding)=["']?([\w-]+)/i

/** A list or an object, unlike the names of columns in brackets. */
const JSON_START = /^(?:\[\s*(?:[[{"\]\d-]|(?:true|false|null)\b|$)|\{)/

/** The bytes at the beginning of a file that tell what it is. */
const START = 8

/** The first bytes of archives, such as .xlsx and .ods, and of files of older programs of Microsoft, such as .xls. */
const WORKBOOKS = ['504b0304', '504b0506', 'd0cf11e0']
/** The first bytes of other files, and what to do with them. */
const OTHERS: readonly (readonly [start: string, message: string])[] = [
  ['25504446', 'This is a PDF file. Export the table as an Excel workbook (.xlsx) or as CSV'],
  ['7b5c727466', 'This is a text with formats (RTF). Save its table as an Excel workbook (.xlsx)'],
  ['1f8b', 'This is a compressed file. Unpack it, and upload the file in it'],
  ['377abcaf', 'This is an archive. Unpack it, and upload the file in it'],
  ['526172', 'This is an archive. Unpack it, and upload the file in it'],
  ['89504e47', 'This is a picture. Upload an Excel workbook (.xlsx) or a CSV file'],
  ['ffd8ff', 'This is a picture. Upload an Excel workbook (.xlsx) or a CSV file'],
]

/** Whether a file is a workbook, by its first bytes. Throws FileError if it is something else that cannot be read. */
function isWorkbook(start: Buffer): boolean {
  const hex = start.toString('hex', 0, 8)
  const other = OTHERS.find(([bytes]) => hex.startsWith(bytes))
  if (other) throw new FileError(1, other[1])
  return WORKBOOKS.some((bytes) => hex.startsWith(bytes))
}

/** What a decoder makes of bytes that an encoding does not have. */
const NO_CHARACTER = /[\ufffd\u0080-\u009f]/

/**
 * Decodes the text of a file, chunk by chunk. Throws FileError at a line with bytes that the encoding does not have. Of
 * Unicode, that was found when the file was recognized.
 */
export async function* decodeText(chunks: Chunks, encoding: Encoding): AsyncGenerator<string, void> {
  const decoder = createDecoder(encoding)
  const isUnicode = encoding.startsWith('utf-')
  let line = 1
  const check = (text: string) => {
    if (isUnicode) return text
    const at = text.search(NO_CHARACTER)
    if (at !== -1)
      throw new FileError(
        line + countLines(text.slice(0, at)),
        `A character on this line is not in ${ENCODINGS[encoding]}. Name the encoding of the file, or save it as UTF-8`,
      )
    line += countLines(text)
    return text
  }
  for await (const chunk of chunks) yield check(decoder.decode(chunk, { stream: true }))
  yield check(decoder.decode())
}

/** Counts line ends: LF, or CR without one behind it. */
function countLines(text: string): number {
  return text.match(/\n|\r(?!\n)/g)?.length ?? 0
}
