import { createHash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { open } from 'node:fs/promises'
import { TextDecoder } from 'node:util'
import type { Encoding } from '../spreadsheets/detect-encoding.ts'
import { createEncodingDetector } from '../spreadsheets/detect-encoding.ts'
import type { FileFault } from '../spreadsheets/file-error.ts'
import { FileError } from '../spreadsheets/file-error.ts'
import type { FileRow } from '../spreadsheets/read-csv.ts'
import { readCsv } from '../spreadsheets/read-csv.ts'
import type { ColumnUse, FileRecords } from '../spreadsheets/read-records.ts'
import { readRecords } from '../spreadsheets/read-records.ts'
import { usageError } from './exit-codes.ts'
import { splitJson } from './split-json.ts'

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
  /** What is wrong with it: at most as many faults as one part lists. */
  faults: FileFault[]
  /** The number of the column, from 1, of each field; none in a JSON file. */
  columns: ReadonlyMap<string, number>
  /** The names of the columns that are not attributes. */
  unknown: string[]
  /** Reads the records again, one part of the file at a time. Throws FileError. */
  read(): AsyncGenerator<FileRecord, void>
  close(): Promise<void>
}

/** Opens a file and reads it once, to find what is wrong before anything is sent. Throws CommandError. */
export async function openFile(
  path: string,
  uses: ReadonlyMap<string, ColumnUse>,
  signal: AbortSignal,
): Promise<OpenedFile> {
  const handle = await open(path).catch((error: NodeJS.ErrnoException) => {
    throw usageError(`cannot read ${path}: ${error.code}`)
  })
  try {
    // It is read several times.
    if (!(await handle.stat()).isFile()) throw usageError(`${path} is not a file`)
    return await inspect(handle, uses, signal)
  } catch (error) {
    await handle.close()
    throw error
  }
}

async function inspect(
  handle: FileHandle,
  uses: ReadonlyMap<string, ColumnUse>,
  signal: AbortSignal,
): Promise<OpenedFile> {
  const hash = createHash('sha256')
  const detector = createEncodingDetector()
  const file: Omit<OpenedFile, 'hash' | 'read'> = {
    count: 0,
    faults: [],
    columns: new Map<string, number>(),
    unknown: [],
    close: () => handle.close(),
  }
  let readParts = async function* (): AsyncGenerator<Part, void> {}
  try {
    for await (const chunk of readChunks(handle)) {
      signal.throwIfAborted()
      hash.update(chunk)
      detector.push(chunk)
    }
    const encoding = detector.finish()
    const isJson = await startsAsJson(decode(handle, encoding))
    readParts = () => (isJson ? readJsonParts(decode(handle, encoding)) : readCsvParts(decode(handle, encoding), uses))
    for await (const { records, faults, columns, unknown } of readParts()) {
      signal.throwIfAborted()
      Object.assign(file, { columns, unknown, count: file.count + records.length })
      file.faults.push(...faults)
      if (faults.length > 0) break
    }
    if (file.count === 0 && file.faults.length === 0) throw new FileError(1, 'The file has no records')
  } catch (error) {
    if (!(error instanceof FileError)) throw error
    file.faults.push(error.fault)
  }
  async function* read() {
    for await (const { records, lines } of readParts())
      for (const [at, json] of records.entries()) yield { json, line: lines[at]! }
  }
  return { ...file, hash: hash.digest('hex'), read }
}

const CHUNK_BYTES = 65_536

/** Reads a file from its beginning, whoever else reads it through the same handle. */
async function* readChunks(handle: FileHandle): AsyncGenerator<Buffer, void> {
  for (let position = 0; ;) {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(CHUNK_BYTES), 0, CHUNK_BYTES, position)
    if (bytesRead === 0) return
    yield buffer.subarray(0, bytesRead)
    position += bytesRead
  }
}

async function* decode(handle: FileHandle, encoding: Encoding): AsyncGenerator<string, void> {
  const decoder = new TextDecoder(encoding)
  for await (const chunk of readChunks(handle)) yield decoder.decode(chunk, { stream: true })
}

async function startsAsJson(chunks: AsyncIterable<string>): Promise<boolean> {
  for await (const chunk of chunks) {
    const start = chunk.trimStart()
    if (start !== '') return start.startsWith('[') || start.startsWith('{')
  }
  throw new FileError(1, 'The file is empty')
}

type Part = Omit<FileRecords, 'logIds'>

/** The rows that are read at once. */
const ROWS = 1_000

async function* readCsvParts(
  chunks: AsyncIterable<string>,
  uses: ReadonlyMap<string, ColumnUse>,
): AsyncGenerator<Part, void> {
  let header: FileRow | undefined
  let rows: FileRow[] = []
  for await (const row of readCsv(chunks)) {
    if (header) rows.push(row)
    else header = row
    if (rows.length < ROWS) continue
    yield readRecords(header, rows, uses)
    rows = []
  }
  if (header) yield readRecords(header, rows, uses)
}

async function* readJsonParts(chunks: AsyncIterable<string>): AsyncGenerator<Part, void> {
  for await (const { line, json } of splitJson(chunks))
    yield { records: [json], lines: [line], faults: [], columns: new Map(), unknown: [] }
}
