import { TextDecoder } from 'node:util'
import { chooseEncoding } from './choose-encoding.ts'
import { createEncodingDetector } from './detect-encoding.ts'
import type { Encoding } from './encodings.ts'
import { ENCODINGS } from './encodings.ts'
import { FileError } from './file-error.ts'
import type { FileAnswers } from './file-question.ts'

/** The bytes of a file in chunks, from its beginning. */
export type Chunks = AsyncIterable<Uint8Array>

/** How a file is read. */
export interface FileFormat {
  encoding: Encoding
  /** Whether it is JSON; otherwise it is CSV. */
  isJson: boolean
}

/**
 * Finds out how a file is to be read. Reads it to its end. Throws FileError if the file is empty, or is no text,
 * and FileQuestion if its encoding is not certain.
 */
export async function recognizeFile(chunks: Chunks, { encoding: given }: FileAnswers): Promise<FileFormat> {
  const detector = createEncodingDetector(given)
  for await (const chunk of chunks) detector.push(chunk)
  const { encoding, firstCharacter } = detector.finish()
  if (firstCharacter === null) throw new FileError(1, 'The file is empty')
  return {
    encoding: typeof encoding === 'string' ? encoding : await chooseEncoding(encoding.sample),
    isJson: firstCharacter === '[' || firstCharacter === '{',
  }
}

/** What a decoder makes of bytes that an encoding does not have. */
const NO_CHARACTER = /[\ufffd\u0080-\u009f]/

/**
 * Decodes the text of a file, chunk by chunk. Throws FileError at a line with bytes that the encoding does not have. Of
 * Unicode, that was found when the file was recognized.
 */
export async function* decodeText(chunks: Chunks, encoding: Encoding): AsyncGenerator<string, void> {
  const decoder = new TextDecoder(encoding)
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
