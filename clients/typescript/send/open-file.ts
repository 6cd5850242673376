import { createHash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { open } from 'node:fs/promises'
import type { FileFault } from '../spreadsheets/file-error.ts'
import { FileError } from '../spreadsheets/file-error.ts'
import type { FileAnswers } from '../spreadsheets/file-question.ts'
import { createNotes, type TableNotes } from '../spreadsheets/find-table.ts'
import { type FileContent, openContent } from '../spreadsheets/open-content.ts'
import type { ColumnUse, FileColumns, RowReader } from '../spreadsheets/read-records.ts'
import { readHeader } from '../spreadsheets/read-records.ts'
import { usageError } from './exit-codes.ts'

/** A record of a file, as JSON, and the line on which it begins. */
export interface FileRecord {
  line: number
  json: string
}

/** A file that has been read once, from its beginning to its end. */
export interface OpenedFile {
  /** The SHA-256 of its bytes, in hexadecimal. */
  hash: string
  /** The number of its records. */
  count: number
  /** What is wrong with it: the first faults. */
  faults: FileFault[]
  /** The number of the column, from 1, of each field; none in a JSON file. */
  columns: ReadonlyMap<string, number>
  /** The names of the columns that are not attributes. */
  unknown: string[]
  /** Where the table is, and what is left out. */
  notes: TableNotes
  /** Reads the records again, one part of the file at a time. Throws FileError. */
  read(): AsyncGenerator<FileRecord, void>
  close(): Promise<void>
}

/** Opens a file and reads it once, to find what is wrong before anything is sent. Throws CommandError and FileQuestion. */
export async function openFile(
  path: string,
  uses: ReadonlyMap<string, ColumnUse>,
  answers: FileAnswers,
  signal: AbortSignal,
): Promise<OpenedFile> {
  const handle = await open(path).catch((error: NodeJS.ErrnoException) => {
    throw usageError(`cannot read ${path}: ${error.code}`)
  })
  try {
    // It is read several times.
    if (!(await handle.stat()).isFile()) throw usageError(`${path} is not a file`)
    return await inspect(handle, uses, answers, signal)
  } catch (error) {
    await handle.close()
    throw error
  }
}

async function inspect(
  handle: FileHandle,
  uses: ReadonlyMap<string, ColumnUse>,
  answers: FileAnswers,
  signal: AbortSignal,
): Promise<OpenedFile> {
  const hash = createHash('sha256')
  const file: Omit<OpenedFile, 'hash' | 'read'> = {
    count: 0,
    faults: [],
    columns: new Map<string, number>(),
    unknown: [],
    notes: createNotes(),
    close: () => handle.close(),
  }
  let readPieces = async function* (): AsyncGenerator<Piece, void> {}
  try {
    for await (const chunk of readChunks(handle)) {
      signal.throwIfAborted()
      hash.update(chunk)
    }
    const content = await openContent(() => readChunks(handle), answers, { signal })
    readPieces = () => readRecords(content, uses, file.notes)
    for await (const { records, faults, columns } of readPieces()) {
      signal.throwIfAborted()
      if (columns) Object.assign(file, { columns: columns.fields, unknown: columns.unknown })
      file.count += records.length
      file.faults.push(...faults.slice(0, MAX_FAULTS - file.faults.length))
      if (file.faults.length === MAX_FAULTS) break
    }
    if (file.count === 0 && file.faults.length === 0) throw new FileError(1, 'The file has no records')
  } catch (error) {
    if (!(error instanceof FileError)) throw error
    file.faults.push(error.fault)
  }
  async function* read() {
    for await (const { records } of readPieces()) yield* records
  }
  return { ...file, hash: hash.digest('hex'), read }
}

/** The faults that are kept. */
const MAX_FAULTS = 100
const CHUNK_BYTES = 16_384

/** Reads a file from its beginning, whoever else reads it through the same handle. Each chunk takes a turn of its own. */
async function* readChunks(handle: FileHandle): AsyncGenerator<Buffer, void> {
  for (let position = 0; ;) {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(CHUNK_BYTES), 0, CHUNK_BYTES, position)
    if (bytesRead === 0) return
    yield buffer.subarray(0, bytesRead)
    position += bytesRead
  }
}

/** The records that end in a chunk of a file, and what is wrong with them. */
interface Piece {
  records: FileRecord[]
  faults: FileFault[]
  /** Of a CSV file, after its first line; null before that, and for JSON. */
  columns: FileColumns | null
}

async function* readRecords(
  content: FileContent,
  uses: ReadonlyMap<string, ColumnUse>,
  notes: TableNotes,
): AsyncGenerator<Piece, void> {
  if (content.kind === 'records') {
    for await (const records of content.read()) yield { records: records.map(requireJson), faults: [], columns: null }
    return
  }
  let columns: RowReader | null = null
  for await (const rows of content.read(Object.assign(notes, createNotes()))) {
    const [records, faults]: [FileRecord[], FileFault[]] = [[], []]
    for (const row of rows) {
      if (columns === null) {
        columns = readHeader(row, uses)
        faults.push(...columns.faults)
        continue
      }
      const { json, faults: ofRow } = columns.read(row)
      records.push({ line: row.line, json })
      faults.push(...ofRow)
    }
    yield { records, faults, columns }
  }
}

function requireJson({ line, json }: FileRecord): FileRecord {
  try {
    JSON.parse(json)
  } catch {
    throw new FileError(line, 'The record that begins here is not valid JSON')
  }
  return { line, json }
}
