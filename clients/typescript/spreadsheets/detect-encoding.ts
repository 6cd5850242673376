import { TextDecoder } from 'node:util'
import { FileError } from './file-error.ts'

/** An encoding, by its label in the Encoding Standard. */
export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252'

/** Recognizes the encoding of a file from its chunks. */
interface EncodingDetector {
  push(chunk: Uint8Array): void
  /**
   * Returns the encoding, and the first character that is not blank; null if there is none. Throws FileError if the file
   * is in several encodings, or contains U+0000.
   */
  finish(): { encoding: Encoding; firstCharacter: string | null }
}

/** What a decoder puts in the place of bytes that it cannot read. */
const REPLACEMENT = '\ufffd'
const CR = 0x0d
const LF = 0x0a

/**
 * Recognizes what spreadsheets write: UTF-8, UTF-16 with a byte order mark, or Windows-1252, which is what remains.
 */
export function createEncodingDetector(): EncodingDetector {
  const isUtf8 = createValidator()
  let start = Buffer.alloc(0)
  let encoding: Encoding = 'utf-8'
  let decoder: TextDecoder | undefined
  let firstCharacter: string | null = null
  let line = 1
  let endsWithCr = false
  let damagedLine: number | null = null
  let nullLine: number | null = null
  let hasOther = false

  function scan(text: string): void {
    nullLine ??= lineOf(text, '\0')
    damagedLine ??= lineOf(text, REPLACEMENT)
    hasOther ||= /[^\0-\x7f\ufffd]/.test(text)
    firstCharacter ??= /\S/.exec(text)?.[0] ?? null
    line += countLineEnds(text, text.length)
    if (text !== '') endsWithCr = text.endsWith('\r')
  }

  function lineOf(text: string, character: string): number | null {
    const at = text.indexOf(character)
    return at === -1 ? null : line + countLineEnds(text, at)
  }

  /** Counts the line ends before an index: LF, CR, and CRLF, which a chunk may have cut. */
  function countLineEnds(text: string, end: number): number {
    let count = 0
    let isAfterCr = endsWithCr
    for (let at = 0; at < end; at += 1) {
      const code = text.charCodeAt(at)
      if (code === CR || (code === LF && !isAfterCr)) count += 1
      isAfterCr = code === CR
    }
    return count
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
      return { encoding: isDamaged ? 'windows-1252' : encoding, firstCharacter }
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
