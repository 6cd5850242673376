import { isAscii } from 'node:buffer'
import { TextDecoder } from 'node:util'
import { createDecoder } from './create-decoder.ts'
import type { Encoding } from './encodings.ts'
import { FileError } from '../file-error.ts'

/** Recognizes the encoding of a file from its chunks. */
interface EncodingDetector {
  push(chunk: Uint8Array): void
  /**
   * Returns the encoding, or the lines that tell it by their letters, and the first characters behind blanks; null if
   * there are none. Throws FileError if the file is in several encodings, or contains U+0000.
   */
  finish(): { encoding: Encoding | { sample: Buffer }; firstCharacters: string | null }
}

/** What a decoder puts in the place of bytes that it cannot read. */
const REPLACEMENT = 0xfffd
const CR = 0x0d
const LF = 0x0a
/** The bytes that tell how a file without a mark is encoded, if it is in UTF-16. */
const START = 4_096
/** Of a text in UTF-16, the separators and line ends at least have a zero as one of their two bytes. */
const BYTES_FOR_A_ZERO = 40
/** A file with so many characters in UTF-8 for each byte that is none is in two encodings. */
const MIXED = 4

/**
 * Recognizes UTF-8 and UTF-16, with and without a byte order mark. `given` is the encoding that the user names; a mark
 * has precedence, as in the Encoding Standard.
 */
export function createEncodingDetector(given: Encoding | null): EncodingDetector {
  const isUtf8 = createValidator()
  const sample = createSample()
  let start: Buffer | null = Buffer.alloc(0)
  let unicode: Encoding | null = null
  let decoder = createDecoder('utf-8')
  let firstCharacters: string | null = null
  let line = 1
  let isAfterCr = false
  let damagedLine: number | null = null
  let nullLine: number | null = null
  let [valid, damaged] = [0, 0]

  function begin(): void {
    if (!start) return
    const bytes = start
    start = null
    unicode = readMark(bytes) ?? (given === null ? findUtf16(bytes) : null)
    decoder = createDecoder(unicode ?? given ?? 'utf-8')
    read(bytes)
  }

  function read(bytes: Uint8Array): void {
    isUtf8(bytes)
    if (unicode === null && given === null) sample.push(bytes)
    scan(decoder.decode(bytes, { stream: true }))
  }

  /** Counts line ends (LF, CR, and CRLF, which a chunk may have cut), and characters that UTF-8 has and has not. */
  function scan(text: string): void {
    firstCharacters ??= /\S[^]{0,1023}/.exec(text)?.[0] ?? null
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at)
      if (code === CR || (code === LF && !isAfterCr)) line += 1
      isAfterCr = code === CR
      if (code === 0) nullLine ??= line
      else if (code === REPLACEMENT) {
        damagedLine ??= line
        damaged += 1
      } else if (code >= 0x80) valid += 1
    }
  }

  return {
    push(chunk) {
      if (!start) return read(chunk)
      start = Buffer.concat([start, chunk])
      if (start.length >= START) begin()
    },
    finish() {
      begin()
      scan(decoder.decode())
      const isValid = isUtf8(new Uint8Array(), 'end')
      if (nullLine !== null) throw new FileError(nullLine, 'This line contains U+0000. The file may not be a text')
      const named = unicode ?? given
      if ((named === 'utf-8' || (named === null && valid >= MIXED * damaged)) && !isValid)
        throw new FileError(
          damagedLine ?? 1,
          'A character on this line is not in UTF-8, like the rest of the file. Save the file as UTF-8',
        )
      return { encoding: named ?? (isValid ? 'utf-8' : { sample: sample.finish() }), firstCharacters }
    },
  }
}

function readMark(start: Buffer): Encoding | null {
  const mark = start.toString('hex', 0, 4)
  if (mark === 'fffe0000' || mark === '0000feff')
    throw new FileError(1, 'The file is in UTF-32. Save it as UTF-8, or as an Excel workbook (.xlsx)')
  if (mark.startsWith('fffe')) return 'utf-16le'
  if (mark.startsWith('feff')) return 'utf-16be'
  return mark.startsWith('efbbbf') ? 'utf-8' : null
}

/** Finds UTF-16 without a mark: the zeros are the second bytes of letters, or the first ones, and never both. */
function findUtf16(start: Buffer): Encoding | null {
  const zeros = [0, 0]
  for (const [at, byte] of start.entries()) if (byte === 0) zeros[at % 2]! += 1
  const isEnough = (count: number) => count >= 2 && count * BYTES_FOR_A_ZERO >= start.length
  if (zeros[0] === 0 && isEnough(zeros[1]!)) return 'utf-16le'
  return zeros[1] === 0 && isEnough(zeros[0]!) ? 'utf-16be' : null
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

/** Bounds of the sample, in bytes: all of it, its bytes beyond ASCII, and one line. */
const MAX_SAMPLE = 32_768
const MAX_OTHERS = 1_500
const MAX_LINE = 4_096

/** Collects the first lines that have other bytes than ASCII. */
function createSample(): { push(chunk: Uint8Array): void; finish(): Buffer } {
  const lines: Buffer[] = []
  let [size, others] = [0, 0]
  let rest = Buffer.alloc(0)
  const isFull = () => size >= MAX_SAMPLE || others >= MAX_OTHERS

  function add(line: Buffer): void {
    const count = line.reduce((sum, byte) => sum + (byte < 0x80 ? 0 : 1), 0)
    if (count === 0) return
    lines.push(line)
    size += line.length
    others += count
  }

  return {
    push(chunk) {
      if (isFull()) return
      const bytes = Buffer.concat([rest, chunk])
      let from = 0
      if (isAscii(bytes)) from = Math.max(bytes.lastIndexOf(LF) + 1, bytes.length - MAX_LINE)
      for (let at = from; at < bytes.length && !isFull(); at += 1)
        if (bytes[at] === LF || bytes[at] === CR || at - from === MAX_LINE) {
          add(bytes.subarray(from, at + 1))
          from = at + 1
        }
      rest = bytes.subarray(from)
    },
    finish() {
      if (!isFull()) add(rest)
      return Buffer.concat(lines)
    },
  }
}
