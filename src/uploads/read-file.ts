import type { Problem } from '../domain/errors.ts'
import { inTurns } from '../admission/turns.ts'
import { FileError } from '../../clients/typescript/spreadsheets/file-error.ts'
import type { FileAnswers } from '../../clients/typescript/spreadsheets/file-question.ts'
import { createNotes, type TableNotes } from '../../clients/typescript/spreadsheets/find-table.ts'
import type { FileRow } from '../../clients/typescript/spreadsheets/read-csv.ts'
import { openContent, type ReadingSettings } from '../../clients/typescript/spreadsheets/open-content.ts'
import type { RowReader } from '../../clients/typescript/spreadsheets/read-records.ts'
import { readHeader } from '../../clients/typescript/spreadsheets/read-records.ts'
import type { Chunks } from '../../clients/typescript/spreadsheets/recognize-file.ts'
import type { JsonElement } from '../../clients/typescript/spreadsheets/split-json.ts'
import type { FilledPart } from '../ledger/uploads/store-upload.ts'
import { FileFaultError, NAMING_FIELDS, PartBuilder } from './part-builder.ts'

/** Parses JSON as the body of a call with so many records, or says what is wrong with it. */
export type ReadBody = (
  json: string,
  maxRecords: number,
) => { body: unknown; problem?: undefined } | { problem: Problem }

/** What calls may have: a part becomes a call. */
export interface CallLimits {
  maxRecords: number
  /** Bytes of a body. */
  bodyLimit: number
  readBody: ReadBody
}

/** What a file holds, in parts that can be calls. */
export interface ReadFile {
  /** The line that names the columns; null for JSON with records of the API. */
  header: string[] | null
  /** Where the table is, and what is left out. */
  notes: TableNotes
  parts: FilledPart[]
  /** The calls whose records these are, as the file says. */
  logIds: string[]
}

/** How many bodies a file may be as large as. */
const BODIES = 4

/** The bytes that a file may have. One of JSON may have as many as the body of a call. */
export function maxFileBytes({ bodyLimit }: Pick<CallLimits, 'bodyLimit'>): number {
  return BODIES * bodyLimit
}

/**
 * Reads a file from the chunks in which it was received, and splits it into parts of `maxRecords` records
 * and a body's bytes at most. Works in pieces, and ends with the reason of the signal when that is aborted. Throws
 * FileFaultError if the file cannot be read, and FileQuestion if it can be read in several ways. What is wrong with single cells is found when a part is read.
 */
export async function readFile(
  received: readonly Uint8Array[],
  answers: FileAnswers,
  limits: CallLimits,
  { signal, acquireThread }: ReadingSettings = {},
): Promise<ReadFile> {
  try {
    const content = await openContent(() => cut(received, signal), answers, { signal, acquireThread })
    const parts = new PartBuilder(limits)
    const notes = createNotes()
    const header =
      content.kind === 'records'
        ? await readJson(content.read(), countBytes(received), limits, parts, signal)
        : await readRows(content.read(notes), parts, signal)
    return { header, notes, ...parts.end() }
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
  { bodyLimit, readBody }: CallLimits,
  parts: PartBuilder,
  signal: AbortSignal | undefined,
): Promise<null> {
  if (bytes > bodyLimit) throw new FileError(1, `A JSON file must have at most ${bodyLimit} bytes`)
  let row = 0
  for await (const elements of records)
    for await (const { line, json } of inTurns(elements, signal)) {
      row += 1
      const { body: record, problem } = readBody(json, 1) as { body?: unknown; problem?: Problem }
      if (problem) throw new FileError(line, describeRecord(row - 1, problem.detail))
      parts.add({ row, record }, record, line, json.length)
    }
  if (row === 0) throw new FileError(1, 'There are no records in the list')
  return null
}

/** What is wrong with a record, which was read like the body of a call. */
function describeRecord(index: number, ofBody: string): string {
  const detail = ofBody.replace(/^Record 0: /, '')
  return detail.startsWith('The body ') ? detail.replace('The body', `Record ${index}`) : `Record ${index}: ${detail}`
}

async function readRows(
  table: AsyncIterable<FileRow[]>,
  parts: PartBuilder,
  signal: AbortSignal | undefined,
): Promise<string[]> {
  let file: OpenedRows | null = null
  let row = 0
  for await (const rows of table)
    for await (const fileRow of inTurns(rows, signal)) {
      if (file === null) file = openRows(fileRow)
      else {
        row += 1
        const { line, cells } = fileRow
        const logId = file.columns.logId === null ? undefined : cells[file.columns.logId - 1]
        if (logId !== undefined && logId !== '') parts.addLogId(logId)
        parts.add({ row, line, cells }, JSON.parse(file.readNames(fileRow).json), line, sizeOf(file.header, cells))
      }
    }
  if (file === null || row === 0) throw new FileError(file?.line ?? 1, 'There are no records below the first line')
  return [...file.header]
}

interface OpenedRows {
  line: number
  header: readonly string[]
  columns: RowReader
  /** Reads only the fields that name employees. */
  readNames: ReturnType<RowReader['reading']>
}

function openRows(first: FileRow): OpenedRows {
  const columns = readHeader(first, new Map())
  if (columns.faults.length > 0) throw new FileFaultError(columns.faults)
  return { line: first.line, header: first.cells, columns, readNames: columns.reading(NAMING_FIELDS) }
}

/** About how many bytes a row is as JSON, which repeats the names of its columns. */
function sizeOf(header: readonly string[], cells: readonly string[]): number {
  return cells.reduce((sum, cell, at) => sum + (cell === '' ? 0 : cell.length + (header[at]?.length ?? 0) + 6), 2)
}
