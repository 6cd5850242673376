import { isUtf8 } from 'node:buffer'
import type { Pieces } from '../../domain/pieces.ts'
import { UnreadableBodyError } from './unreadable-body.ts'

/** How many bytes are checked before others get a turn. */
const PORTION = 1_048_576
/** The bytes among which an invalid one is looked for. */
const SMALL_PORTION = 65_536

const UTF8_MARK = Buffer.from('\ufeff')
const REPLACEMENT = '\ufffd'
const REPLACEMENT_BYTES = Buffer.from(REPLACEMENT)
const LENIENT = new TextDecoder('utf-8', { ignoreBOM: true })

/** Refuses bytes that are not UTF-8. Returns where the text begins. */
export function* checkEncoding(bytes: Buffer): Pieces<number> {
  if (bytes.length === 0) throw new UnreadableBodyError('malformed_json', 'The body is empty')
  for (let at = 0; at < bytes.length;) {
    const end = endOfCharacter(bytes, at + PORTION)
    if (!isUtf8(bytes.subarray(at, end)))
      throw new UnreadableBodyError('malformed_json', 'The body is not valid UTF-8', yield* findInvalidByte(bytes, at))
    at = end
    if (at < bytes.length) yield
  }
  const start = startOfText(bytes)
  if (hasMark(bytes, start))
    throw new UnreadableBodyError('malformed_json', 'The body begins with two byte order marks', start)
  return start
}

/** Where the text of a body begins: behind a byte order mark, which RFC 8259 section 8.1 allows to ignore. */
export function startOfText(bytes: Buffer): number {
  return hasMark(bytes, 0) ? UTF8_MARK.length : 0
}

function hasMark(bytes: Buffer, at: number): boolean {
  return bytes.subarray(at, at + UTF8_MARK.length).equals(UTF8_MARK)
}

/** The first byte from here on that begins a character. */
export function endOfCharacter(bytes: Buffer, at: number): number {
  let end = Math.min(at, bytes.length)
  // A character has at most three more bytes.
  while (end < Math.min(at + 3, bytes.length) && (bytes[end]! & 0xc0) === 0x80) end += 1
  return end
}

/** The first byte from here on that is not UTF-8. */
function* findInvalidByte(bytes: Buffer, from: number): Pieces<number | null> {
  for (let at = from; at < bytes.length;) {
    const end = endOfCharacter(bytes, at + SMALL_PORTION)
    const portion = bytes.subarray(at, end)
    const invalid = isUtf8(portion) ? null : findReplaced(portion)
    if (invalid !== null) return at + invalid
    at = end
    yield
  }
  return null
}

/** The first byte that is replaced when a text is decoded. */
function findReplaced(bytes: Buffer): number | null {
  const text = LENIENT.decode(bytes)
  let byte = 0
  let start = 0
  for (let at = text.indexOf(REPLACEMENT); at !== -1; at = text.indexOf(REPLACEMENT, start)) {
    byte += Buffer.byteLength(text.slice(start, at))
    const sent = bytes.subarray(byte, byte + REPLACEMENT_BYTES.length)
    if (!sent.equals(REPLACEMENT_BYTES)) return byte
    byte += sent.length
    start = at + 1
  }
  return null
}
