import type { FileAnswers, FileChoice, FileParameter } from '../formats/file-question.ts'
import type { TableNotes } from '../tables/find-table.ts'
import type { Mapping } from '../mapping/mapping.ts'
import type { FileRow } from '../tables/file-row.ts'
import type { JsonElement } from '../formats/split-json.ts'

/*
 * What a process says that reads a file: frames, each with its kind (a byte), the length of its payload (four bytes), and
 * the payload as JSON.
 */

/** What the process is to read. The file follows, behind a line with this as JSON. */
export interface ReadingTask {
  /** The bytes of the file. */
  bytes: number
  answers: FileAnswers
  /** The bytes that the entries of a workbook may have together. */
  maxUnpacked: number
  /** Where local phone numbers are, to propose what the columns of a table mean; undefined if nobody wants to know. */
  country?: Mapping['country'] | undefined
}

/** The payloads by the kind of frame. */
export interface Payloads {
  /** Rows of a table; the first of all names the columns. */
  rows: readonly FileRow[]
  /** Records as the API takes them. */
  records: readonly JsonElement[]
  /** What the columns of a table mean. */
  proposal: Mapping
  /** The file has been read. */
  end: TableNotes
  question: { parameter: FileParameter; message: string; choices: readonly FileChoice[] }
  fault: { line: number; message: string }
  /** An error of the program, with its stack. */
  failure: string
}
export type FrameKind = keyof Payloads
export type Frame = { [Kind in FrameKind]: { kind: Kind; payload: Payloads[Kind] } }[FrameKind]

const KIB = 1_024

/** The most bytes of a payload. */
export const MAX_PAYLOAD: Readonly<Record<FrameKind, number>> = {
  rows: 256 * KIB,
  records: 256 * KIB,
  // As large as a mapping may be, and what was seen of each column.
  proposal: 1_024 * KIB,
  end: 256 * KIB,
  question: 64 * KIB,
  fault: 64 * KIB,
  failure: 64 * KIB,
}
const KINDS = Object.keys(MAX_PAYLOAD) as FrameKind[]
const HEAD = 5

/** Writes a frame, whose payload is JSON already. */
export function writeFrame(kind: FrameKind, json: string): Buffer {
  const bytes = Buffer.byteLength(json)
  if (bytes > MAX_PAYLOAD[kind]) throw new RangeError(`${bytes} bytes are too many for a frame of ${kind}`)
  const frame = Buffer.allocUnsafe(HEAD + bytes)
  frame.writeUInt8(KINDS.indexOf(kind))
  frame.writeUInt32BE(bytes, 1)
  frame.write(json, HEAD)
  return frame
}

/** Reads frames. Refuses one that is too long before its payload is taken. */
export async function* readFrames(chunks: AsyncIterable<Buffer>): AsyncGenerator<Frame, void> {
  let held: Buffer[] = []
  let size = 0
  let kind: FrameKind | null = null
  let needed = HEAD
  for await (const chunk of chunks) {
    held.push(chunk)
    size += chunk.length
    while (size >= needed) {
      const all = Buffer.concat(held)
      const part = all.subarray(0, needed)
      held = [all.subarray(needed)]
      size -= needed
      if (kind === null) {
        kind = readKind(part)
        needed = part.readUInt32BE(1)
        if (needed > MAX_PAYLOAD[kind]) throw new RangeError(`A frame of ${kind} has ${needed} bytes`)
      } else {
        yield { kind, payload: JSON.parse(part.toString()) }
        kind = null
        needed = HEAD
      }
    }
  }
}

function readKind(head: Buffer): FrameKind {
  const kind = KINDS[head[0]!]
  if (kind === undefined) throw new RangeError(`No frame is of kind ${head[0]}`)
  return kind
}
