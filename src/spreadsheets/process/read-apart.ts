import { FileError } from '../file-error.ts'
import { FileQuestion, type FileAnswers } from '../formats/file-question.ts'
import type { TableNotes } from '../tables/find-table.ts'
import type { Mapping } from '../mapping/mapping.ts'
import type { FileRow } from '../tables/file-row.ts'
import type { JsonElement } from '../formats/split-json.ts'
import { readFrames } from './frames.ts'
import { LIMITS, ReaderProcess } from './reader-process.ts'
import { MAX_UNPACKED } from '../formats/unpack-workbook.ts'
import type { Excess } from './watch-process.ts'

/** Some rows of a table, the first of which names the columns, or some records as the API takes them. */
export type FilePiece = { kind: 'rows'; items: readonly FileRow[] } | { kind: 'records'; items: readonly JsonElement[] }

/** A file, which can be read from its beginning. */
export interface FileContent {
  bytes: number
  read(): AsyncIterable<Uint8Array> | Iterable<Uint8Array>
}

export interface ApartSettings {
  /** The bytes that the parts of a workbook may have together. */
  maxUnpacked?: number
  /** Where local phone numbers are. With it, the process says what the columns of a table mean. */
  country?: Mapping['country']
  /** Takes what the columns mean, once all rows have been read. */
  takeProposal?(proposal: Mapping): void
  signal?: AbortSignal | undefined
}

/** A process that waits for the next file. */
let next: ReaderProcess | null = null

/**
 * Starts a process for the next file, which then need not wait until it has started. If it can't start, reading that file
 * says why.
 */
export function prepareReader(): void {
  if (next?.isWaiting) return
  try {
    next = new ReaderProcess()
    next.waitIdle()
  } catch {
    next = null
  }
}

function takeReader(): ReaderProcess {
  const waiting = next?.isWaiting ? next : null
  next = null
  return waiting ?? new ReaderProcess()
}

/**
 * Reads a file in a process of its own, which has limits of memory and time, and ends with the generator and when the
 * signal is aborted. Yields rows or records, and fills the notes at the end. Throws FileError, also if the file takes too
 * much, FileQuestion, the reason of the signal, or what the content throws.
 */
export async function* readApart(
  content: FileContent,
  answers: FileAnswers,
  notes: TableNotes,
  { maxUnpacked = MAX_UNPACKED, country, takeProposal, signal }: ApartSettings = {},
): AsyncGenerator<FilePiece, void> {
  signal?.throwIfAborted()
  const reader = takeReader()
  const kill = () => reader.kill()
  signal?.addEventListener('abort', kill)
  const failures: unknown[] = []
  async function* readContent() {
    try {
      yield* content.read()
    } catch (error) {
      failures.push(error)
      throw error
    }
  }
  try {
    reader.send({ bytes: content.bytes, answers, maxUnpacked, country }, readContent())
    for await (const { kind, payload } of readFrames(reader.said)) {
      signal?.throwIfAborted()
      switch (kind) {
        case 'rows':
          yield { kind, items: payload }
          break
        case 'records':
          yield { kind, items: payload }
          break
        case 'proposal':
          takeProposal?.(payload)
          break
        case 'fault':
          throw new FileError(payload.line, payload.message)
        case 'question':
          throw new FileQuestion(payload.parameter, payload.message, payload.choices)
        case 'failure':
          throw new Error(`A file could not be read: ${payload}`)
        case 'end':
          Object.assign(notes, payload)
          return
      }
    }
    if (failures.length > 0) throw failures[0]
    const excess = await reader.explainEnd()
    signal?.throwIfAborted()
    throw new FileError(1, TOO_MUCH[excess])
  } finally {
    signal?.removeEventListener('abort', kill)
    kill()
  }
}

const MIB = 1_048_576
const SMALLER = 'Split it, or save its sheet as CSV (UTF-8)'
const TOO_MUCH: Readonly<Record<Excess, string>> = {
  memory: `Reading the file takes more than ${LIMITS.memory / MIB} MiB of memory. ${SMALLER}`,
  processor: `Reading the file took longer than ${LIMITS.processor / 1_000} seconds of processor time. ${SMALLER}`,
  time: `Reading the file took longer than ${LIMITS.time / 1_000} seconds. ${SMALLER}`,
}
