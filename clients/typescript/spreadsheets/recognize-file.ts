import { TextDecoder } from 'node:util'
import type { Encoding } from './detect-encoding.ts'
import { createEncodingDetector } from './detect-encoding.ts'
import { FileError } from './file-error.ts'

/** The bytes of a file in chunks, from its beginning. */
export type Chunks = AsyncIterable<Uint8Array>

/** How a file is read. */
export interface FileFormat {
  encoding: Encoding
  /** Whether it is JSON; otherwise it is CSV. */
  isJson: boolean
}

/** Finds out how a file is to be read. Reads it to its end. Throws FileError if it is empty, or is no text. */
export async function recognizeFile(chunks: Chunks): Promise<FileFormat> {
  const detector = createEncodingDetector()
  for await (const chunk of chunks) detector.push(chunk)
  const { encoding, firstCharacter } = detector.finish()
  if (firstCharacter === null) throw new FileError(1, 'The file is empty')
  return { encoding, isJson: firstCharacter === '[' || firstCharacter === '{' }
}

/** Decodes the text of a file, chunk by chunk. */
export async function* decodeText(chunks: Chunks, encoding: Encoding): AsyncGenerator<string, void> {
  const decoder = new TextDecoder(encoding)
  for await (const chunk of chunks) yield decoder.decode(chunk, { stream: true })
  yield decoder.decode()
}
