import { inTurns } from '../admission/turns.ts'
import { readName } from '../spreadsheets/cells.ts'
import { collectSamples, type FileSample } from '../spreadsheets/column-samples.ts'
import { FileError } from '../spreadsheets/file-error.ts'
import type { FileAnswers } from '../spreadsheets/file-question.ts'
import { createNotes, leaveOut, type TableNotes } from '../spreadsheets/find-table.ts'
import type { FileRow } from '../spreadsheets/read-csv.ts'
import { openContent, type ReadingSettings } from '../spreadsheets/open-content.ts'
import { checkHeader } from '../spreadsheets/read-records.ts'
import { hideSecrets, isSecretHeader } from '../spreadsheets/recognize-header.ts'
import type { Chunks } from '../spreadsheets/recognize-file.ts'
import type { JsonElement } from '../spreadsheets/split-json.ts'
import { FileFaultError } from './part-builder.ts'
import { RowStore } from './row-store.ts'

/** Parses the JSON of a record like the body of a call, or says what is wrong with it. */
export type ParseRecord = (json: string) => { record?: unknown; problem?: string | undefined }

/** What calls may have. */
export interface CallLimits {
  maxRecords: number
  /** Bytes of a body. */
  bodyLimit: number
  parseRecord: ParseRecord
}

/** What a file holds. */
export interface ReadFile {
  /** The line that names the columns; null for JSON with records of the API. */
  header: string[] | null
  /** Where the table is, and what is left out. */
  notes: TableNotes
  rows: RowStore
  /** Some values of the columns; null for records of the API. */
  sample: FileSample | null
  /** The calls whose records these are, as the file says. */
  logIds: string[]
  /** The names of columns that may hold passwords. Their cells are not in the rows. */
  secrets: string[]
}

/** How many bodies a file may be as large as. */
const BODIES = 4

/** The bytes that a file may have. One of JSON may have as many as the body of a call. */
export function maxFileBytes({ bodyLimit }: Pick<CallLimits, 'bodyLimit'>): number {
  return BODIES * bodyLimit
}

/** The ids of calls that are kept of a file. */
const MAX_LOG_IDS = 1_000

/**
 * Reads a file from the chunks in which it was received. Works in pieces, and ends with the reason of the signal when that
 * is aborted. Throws FileFaultError if the file cannot be read, and FileQuestion if it can be read in several ways. What is
 * wrong with single cells is found when a part is read.
 */
export async function readFile(
  received: readonly Uint8Array[],
  answers: FileAnswers,
  limits: CallLimits,
  { signal, acquireThread }: ReadingSettings = {},
): Promise<ReadFile> {
  try {
    const content = await openContent(() => cut(received, signal), answers, { signal, acquireThread })
    const rows = new RowStore(limits)
    const notes = createNotes()
    if (content.kind === 'table') {
      const table = await readRows(content.read(notes), rows, signal)
      for (const name of table.secrets) leaveOut(notes, 'secret_column', null, null, describeSecrets(name))
      return { ...table, notes, rows }
    }
    await readJson(content.read(), countBytes(received), limits, rows, signal)
    return { header: null, sample: null, logIds: [], secrets: [], notes, rows }
  } catch (error) {
    throw error instanceof FileError ? new FileFaultError([error.fault]) : error
  }
}

/** The bytes that are worked on before other requests may get their turn. */
const CHUNK = 16_384

function cut(received: readonly Uint8Array[], signal: AbortSignal | undefined): Chunks {
  function* chunks() {
    for (const bytes of received) for (let at = 0; at < bytes.length; at += CHUNK) yield bytes.subarray(at, at + CHUNK)
  }
  return inTurns(chunks(), signal)
}

/** The number of bytes of chunks. */
export function countBytes(chunks: readonly Uint8Array[]): number {
  return chunks.reduce((sum, { length }) => sum + length, 0)
}

async function readJson(
  records: AsyncIterable<JsonElement[]>,
  bytes: number,
  { bodyLimit, parseRecord }: CallLimits,
  rows: RowStore,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (bytes > bodyLimit) throw new FileError(1, `A JSON file must have at most ${bodyLimit} bytes`)
  for await (const elements of records)
    for await (const { line, json } of inTurns(elements, signal)) {
      const { record, problem } = parseRecord(json)
      if (problem !== undefined) throw new FileError(line, describeRecord(rows.length, problem))
      rows.add({ row: rows.length + 1, record })
    }
  if (rows.length === 0) throw new FileError(1, 'There are no records in the list')
}

/** What is wrong with a record, which was read like the body of a call. */
function describeRecord(index: number, detail: string): string {
  return detail.startsWith('The body ') ? detail.replace('The body', `Record ${index}`) : `Record ${index}: ${detail}`
}

/** Reads the rows of a table. The cells of secret columns are not kept. */
async function readRows(
  table: AsyncIterable<FileRow[]>,
  rows: RowStore,
  signal: AbortSignal | undefined,
): Promise<Pick<ReadFile, 'header' | 'sample' | 'logIds' | 'secrets'>> {
  let file: OpenedFile | null = null
  const logIds = new Set<string>()
  for await (const some of table)
    for await (const { line, cells } of inTurns(some, signal)) {
      if (file === null) {
        file = openFile({ line, cells })
        continue
      }
      const kept = file.hideSecrets(cells)
      const logId = cells[file.logId] ?? ''
      if (logId !== '' && logIds.size < MAX_LOG_IDS) logIds.add(logId)
      file.samples.add(kept)
      rows.add({ row: rows.length + 1, line, cells: kept })
    }
  if (file === null || rows.length === 0)
    throw new FileError(file?.line ?? 1, 'There are no records below the first line')
  const header = [...file.header]
  return { header, sample: file.samples.sample, logIds: [...logIds], secrets: header.filter(isSecretHeader) }
}

function describeSecrets(name: string): string {
  return `The column "${name}" may hold passwords: it is not read, and the file is not kept to be read in another way`
}

interface OpenedFile {
  line: number
  header: readonly string[]
  samples: ReturnType<typeof collectSamples>
  hideSecrets(cells: readonly string[]): readonly string[]
  /** The index of the column that says which call a record comes from; -1 if there is none. */
  logId: number
}

function openFile({ line, cells }: FileRow): OpenedFile {
  const faults = checkHeader({ line, cells })
  if (faults.length > 0) throw new FileFaultError(faults)
  const logId = cells.findIndex((cell) => readName(cell) === 'log_id')
  return { line, header: cells, samples: collectSamples(cells.length), hideSecrets: hideSecrets(cells), logId }
}
