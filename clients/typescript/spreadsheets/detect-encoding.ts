import { TextDecoder } from 'node:util'
import { FileError } from './file-error.ts'

/** An encoding, by its label in the Encoding Standard. */
export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252'

/** Recognizes the encoding of a file from its chunks. */
interface EncodingDetector {
  push(chunk: Uint8Array): void
  /** Throws FileError if the file is in several encodings, or contains U+0000. */
  finish(): Encoding
}

/** What a decoder puts in the place of bytes that it cannot read. */
const REPLACEMENT = '\ufffd'

/**
 * Recognizes what spreadsheets write: UTF-8, UTF-16 with a byte order mark, or Windows-1252, which is what remains.
 */
export function createEncodingDetector(): EncodingDetector {
  const isUtf8 = createValidator()
  let start = Buffer.alloc(0)
  let encoding: Encoding = 'utf-8'
  let decoder: TextDecoder | undefined
  let line = 1
  let damagedLine: number | null = null
  let nullLine: number | null = null
  let hasOther = false

  function scan(text: string): void {
    nullLine ??= lineOf(text, '\0')
    damagedLine ??= lineOf(text, REPLACEMENT)
    hasOther ||= /[^\0-\x7f\ufffd]/.test(text)
    line += text.split('\n').length - 1
  }

  function lineOf(text: string, character: string): number | null {
    const at = text.indexOf(character)
    return at === -1 ? null : line + text.slice(0, at).split('\n').length - 1
  }

  return {
    push(chunk) {
      let bytes = chunk
      if (!decoder) {
        bytes = start = Buffer.concat([start, chunk])
        if (start.length < 2) return
        encoding = readMark(start)
        decoder = new TextDecoder(encoding)
      }
      isUtf8(bytes)
      scan(decoder.decode(bytes, { stream: true }))
    },
    finish() {
      const rest = decoder ? new Uint8Array() : start
      scan((decoder ?? new TextDecoder()).decode(rest))
      const isDamaged = encoding === 'utf-8' && damagedLine !== null && !isUtf8(rest, 'end')
      if (isDamaged && hasOther)
        throw new FileError(
          damagedLine ?? 1,
          'A character on this line is not in UTF-8, like the rest of the file. Save the file as UTF-8',
        )
      if (nullLine !== null) throw new FileError(nullLine, 'This line contains U+0000. The file may not be a text')
      return isDamaged ? 'windows-1252' : encoding
    },
  }
}

function readMark(start: Buffer): Encoding {
  const mark = start.toString('hex', 0, 2)
  if (mark === 'fffe') return 'utf-16le'
  return mark === 'feff' ? 'utf-16be' : 'utf-8'
}

/** Returns a function that takes chunks, and tells whether all of them are UTF-8. */
function createValidator(): (bytes: Uint8Array, end?: 'end') => boolean {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let isValid = true
  return (bytes, end) => {
    try {
      if (isValid) decoder.decode(bytes, { stream: end !== 'end' })
    } catch {
      isValid = false
    }
    return isValid
  }
}
