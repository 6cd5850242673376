import { maskSecrets } from '../accounts/secrets.ts'
import { cutWithout, findSecretValues } from '../secret-members.ts'
import { ENDS_WORD, findWordEnd, MAX_NAME_UNITS } from './refused-record.ts'

/** The most characters (UTF-16 units) of a body that are kept: at most three bytes each. */
export const MAX_BODY_CHARACTERS = 16_384

/** A body that could not be read, or the part of it around its error. */
export interface RejectedBody {
  /** The body without U+0000, which PostgreSQL can't store, and with secrets hidden. */
  text: string
  /** The bytes of the whole body. */
  bytes: number
  /** Whether `text` is only a part of the body. */
  truncated: boolean
  /** Where reading stopped; null if no place is to blame. */
  error: BodyPlace | null
}

/** A place in a body. */
interface BodyPlace {
  /** The index of its character in the text that is kept. The length of that text is its end. */
  at: number
  /** Its line in the whole body, from 1. */
  line: number
  /** Its character in the line, from 1. */
  column: number
}

/** The part of a body around its error, or all of a short one. */
export interface BodyWindow {
  text: string
  /** The index in the text of the character with the error; null if no place is to blame. */
  errorAt: number | null
  /** The bytes of the whole body. */
  bytes: number
  /** Whether the text is all that is before its end, and behind its beginning. */
  isFromStart: boolean
  isToEnd: boolean
  /** The line breaks before the text, and the characters (UTF-16 units) between the last of them and the text. */
  linesBefore: number
  columnsBefore: number
}

/** The most characters that are kept on each side of an error, with the rest of a word. */
export const MAX_SIDE_CHARACTERS = MAX_BODY_CHARACTERS + MAX_NAME_UNITS

/**
 * Keeps a body that could not be read: whole if it is short, else the part around its error, or the beginning if no
 * place is to blame.
 */
export function keepBody(window: BodyWindow): RejectedBody {
  const { text, errorAt, bytes, isFromStart, isToEnd } = window
  const { from, to } = choosePart(window)
  const hidden = findSecretValues(text)
  const head = withoutNull(cutWithout(text, hidden, [from, errorAt ?? from]))
  const kept = maskSecrets(head + withoutNull(cutWithout(text, hidden, [errorAt ?? from, to])))
  return {
    // A copy: a slice would hold on to all of the text for as long as it lives.
    text: Buffer.from(kept).toString(),
    bytes,
    truncated: from > 0 || to < text.length || !isFromStart || !isToEnd,
    error: errorAt === null ? null : { at: head.length, ...locate(window, errorAt) },
  }
}

function choosePart({ text, errorAt, isFromStart, isToEnd }: BodyWindow) {
  if (text.length <= MAX_BODY_CHARACTERS && isFromStart && isToEnd) return { from: 0, to: text.length }
  const around = errorAt ?? 0
  const first = Math.min(Math.max(0, around - MAX_BODY_CHARACTERS / 2), Math.max(0, text.length - MAX_BODY_CHARACTERS))
  const last = Math.min(first + MAX_BODY_CHARACTERS, text.length)
  // Half of a name or of a secret would not be recognized.
  return {
    from: first === 0 && isFromStart ? 0 : Math.min(around, findWordStart(text, first)),
    to: last === text.length && isToEnd ? last : Math.max(around, findWordEnd(text, last)),
  }
}

function findWordStart(text: string, start: number) {
  const next = text.slice(start, start + MAX_NAME_UNITS).search(ENDS_WORD)
  return next === -1 ? start : start + next
}

function withoutNull(text: string) {
  return text.toWellFormed().replaceAll('\0', '')
}

function locate({ text, linesBefore, columnsBefore }: BodyWindow, at: number) {
  let line = linesBefore + 1
  let start = -columnsBefore
  for (let end = text.indexOf('\n'); end !== -1 && end < at; end = text.indexOf('\n', end + 1)) {
    line += 1
    start = end + 1
  }
  return { line, column: at - start + 1 }
}
