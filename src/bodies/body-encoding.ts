import { isUtf8 } from 'node:buffer'
import type { Pieces } from '#domain/pieces'
import { UnreadableBodyError } from './unreadable-body.ts'

/** How many bytes are checked before others get a turn. */
const PORTION = 262_144

const UTF8_MARK = Buffer.from('\ufeff')
const LENIENT = new TextDecoder('utf-8', { ignoreBOM: true })

/** Refuses bytes that are not UTF-8. Returns where the text begins. */
export function* checkEncoding(bytes: Buffer): Pieces<number> {
  if (bytes.length === 0) throw new UnreadableBodyError('malformed_json', 'The body is empty')
  for (let at = 0; at < bytes.length;) {
    const end = endOfCharacter(bytes, at + PORTION)
    const portion = bytes.subarray(at, end)
    if (!isUtf8(portion)) {
      const detail = `The body is not valid UTF-8: ${nameEncoding(bytes)}`
      throw new UnreadableBodyError('malformed_json', detail, at + findInvalidByte(portion))
    }
    at = end
    if (at < bytes.length) yield
  }
  const start = startOfText(bytes)
  if (hasMark(bytes, start))
    throw new UnreadableBodyError('malformed_json', 'The body begins with two byte order marks', start)
  return start
}

/** What bytes that are not UTF-8 seem to be. */
function nameEncoding(bytes: Buffer): string {
  const [first = 0, second = 0] = bytes
  if (first === 0x1f && second === 0x8b) return 'it is compressed'
  // A byte order mark, or the zero byte of each ASCII character.
  const isWide = (first >= 0xfe && second >= 0xfe) || first === 0 || second === 0
  return isWide ? 'it seems to be UTF-16' : 'it seems to be in another encoding, such as ISO-8859-1'
}

/** Where the text of a body begins: behind a byte order mark, which RFC 8259 section 8.1 allows to ignore. */
export function startOfText(bytes: Buffer) {
  return hasMark(bytes, 0) ? UTF8_MARK.length : 0
}

function hasMark(bytes: Buffer, at: number) {
  return bytes.subarray(at, at + UTF8_MARK.length).equals(UTF8_MARK)
}

/** The first byte from here on that begins a character. */
export function endOfCharacter(bytes: Buffer, at: number) {
  let end = Math.min(at, bytes.length)
  // A character has at most three more bytes.
  while (end < Math.min(at + 3, bytes.length) && !isFirst(bytes[end])) end += 1
  return end
}

/** The first byte that is not UTF-8, of bytes that are not: the first one that changes if they are decoded. */
function findInvalidByte(bytes: Buffer) {
  const replaced = Buffer.from(LENIENT.decode(bytes))
  let at = 0
  while (bytes[at] === replaced[at]) at += 1
  // What stands in its place may begin with the same bytes.
  while (!isFirst(replaced[at])) at -= 1
  return at
}

/** Whether a byte begins a character. */
function isFirst(byte: number | undefined) {
  return byte === undefined || (byte & 0xc0) !== 0x80
}
