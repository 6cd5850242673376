import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { setImmediate } from 'node:timers/promises'
import { collectSamples } from '../../../src/spreadsheets/proposals/column-samples.ts'
import { RowCounts } from '../../../src/spreadsheets/rows/count-rows.ts'
import { type FileFault, FileError } from '../../../src/spreadsheets/file-error.ts'
import type { FileAnswers } from '../../../src/spreadsheets/formats/file-question.ts'
import { createNotes, type TableNotes } from '../../../src/spreadsheets/tables/find-table.ts'
import { type Mapping, USUAL_CHOICES } from '../../../src/spreadsheets/mapping/mapping.ts'
import { type FileContent, openContent } from '../../../src/spreadsheets/formats/open-content.ts'
import { type FilePlan, type RowKeys, keysOfRecord, planRows } from '../../../src/spreadsheets/rows/plan-rows.ts'
import {
  completeReadings,
  doubtDates,
  type DoubtedDates,
  proposeMapping,
} from '../../../src/spreadsheets/proposals/propose-mapping.ts'
import type { FileRow } from '../../../src/spreadsheets/tables/file-row.ts'
import { type RowReader, openRows } from '../../../src/spreadsheets/rows/read-records.ts'
import { readApart } from '../../../src/spreadsheets/process/read-apart.ts'
import { hideSecrets } from '../../../src/spreadsheets/words/recognize-header.ts'
import type { MarkUnknown } from './absent-managers.ts'
import { answerFile } from './answers.ts'
import { type Choices, chooseColumns } from './choose-mapping.ts'
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
  /** The number of its records that can be read. */
  count: number
  /** Why nothing of it can be read: the first faults. */
  faults: FileFault[]
  /** The records that cannot be read: their number, and the first of their faults. */
  unreadable: { count: number; faults: FileFault[] }
  /** What is left out, as the mapping says: the first notes. */
  notes: FileFault[]
  /** Where the table is, and which rows are no records. */
  table: TableNotes
  /** What its columns mean; null for records as the API takes them. */
  mapping: Mapping | null
  /** What columns become whose dates are in an order that the mapping says, and that the values leave open. */
  doubted: DoubtedDates['open']
  /** The number of the column, from 1, of each field; none in a JSON file. */
  columns: ReadonlyMap<string, number>
  /** The names of the columns that become nothing. */
  unused: string[]
  /** The fields of columns with empty cells that a mapping could let clear what is stored. */
  clearable: string[]
  /**
   * Reads the records again that can be read, managers first. Of a file in this order, it holds one part at a time.
   * Throws FileError.
   */
  read(): AsyncGenerator<FileRecord, void>
  /** Reads again whom each row names, in the order of the file. */
  readKeys(): AsyncGenerator<RowKeys, void>
  close(): Promise<void>
}

/**
 * Opens a file and reads it once, to find what is wrong before anything is sent. Throws CommandError and FileQuestion.
 */
export async function openFile(
  path: string,
  choices: Choices,
  answers: FileAnswers,
  mark: MarkUnknown,
  signal: AbortSignal,
): Promise<OpenedFile> {
  // Opening a named pipe would otherwise wait for somebody who writes to it. Windows has no such flag.
  const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)
  const handle = await open(path, flags).catch((error: NodeJS.ErrnoException) => {
    const hint = path === '-' ? '. Save standard input in a file first' : ''
    throw usageError(`cannot read ${path}: ${error.code}${hint}`)
  })
  try {
    // It is read several times.
    if (!(await handle.stat()).isFile())
      throw usageError(`${path} is not a file. Save the output of another program in a file first`)
    return await inspect(handle, choices, answers, mark, signal)
  } catch (error) {
    await handle.close()
    throw error
  }
}

/** The faults, and the notes, that are kept. */
const MAX_FAULTS = 100

async function inspect(
  handle: FileHandle,
  choices: Choices,
  answers: FileAnswers,
  mark: MarkUnknown,
  signal: AbortSignal,
): Promise<OpenedFile> {
  const hash = createHash('sha256')
  const file: Omit<OpenedFile, 'hash' | 'read' | 'readKeys'> = {
    count: 0,
    faults: [],
    unreadable: { count: 0, faults: [] },
    notes: [],
    mapping: null,
    doubted: [],
    unused: [],
    clearable: [],
    table: createNotes(),
    columns: new Map<string, number>(),
    close: () => handle.close(),
  }
  let read = async function* (): AsyncGenerator<FileRecord, void> {}
  let readKeys = async function* (): AsyncGenerator<RowKeys, void> {}
  try {
    for await (const chunk of readChunks(handle)) {
      signal.throwIfAborted()
      hash.update(chunk)
    }
    const source = await openSource(handle, file.table, choices, answers, signal)
    const { reader, mapping, doubted, clearable } = source
    if (reader)
      Object.assign(file, {
        mapping,
        doubted,
        clearable,
        columns: reader.fields,
        unused: reader.unused,
        faults: [...reader.faults],
      })
    if (file.faults.length > 0) return { ...file, hash: hash.digest('hex'), read, readKeys }
    const plan = await mark(await makePlan(source, signal), mapping)
    const counted = await countRows(source, plan, signal)
    if (counted) {
      Object.assign(file, { mapping: counted.mapping, faults: [...counted.faults] })
      if (file.faults.length > 0) return { ...file, hash: hash.digest('hex'), read, readKeys }
    }
    for await (const { faults, notes, repeats } of source.readAll(plan)) {
      signal.throwIfAborted()
      const { unreadable } = file
      if (faults.length > 0) unreadable.count += 1
      else if (!repeats) file.count += 1
      unreadable.faults.push(...faults.slice(0, MAX_FAULTS - unreadable.faults.length))
      file.notes.push(...notes.slice(0, MAX_FAULTS - file.notes.length))
    }
    if (file.count + file.unreadable.count === 0) throw new FileError(1, 'The file has no records')
    read = () => readInOrder(source, plan)
    readKeys = source.readKeys
  } catch (error) {
    if (!(error instanceof FileError)) throw error
    file.faults.push(error.fault)
  }
  return { ...file, hash: hash.digest('hex'), read, readKeys }
}

/** A record, and what is wrong with it. */
interface CheckedRecord extends FileRecord {
  /** The earlier row that says the same. */
  repeats?: string | undefined
  faults: FileFault[]
  notes: FileFault[]
}

/** Reads the records of a file, in its order, as often as it is asked to. */
interface Source {
  reader: RowReader | null
  mapping: Mapping | null
  doubted: DoubtedDates['open']
  header: FileRow | null
  today: string
  readRows(): AsyncGenerator<FileRow, void>
  clearable: string[]
  readKeys(): AsyncGenerator<RowKeys, void>
  readAll(plan: FilePlan): AsyncGenerator<CheckedRecord, void>
}

/** Opens a text here, where it is read piece by piece, and a workbook in a process of its own, which may die. */
async function openSource(
  handle: FileHandle,
  table: TableNotes,
  choices: Choices,
  answers: FileAnswers,
  signal: AbortSignal,
): Promise<Source> {
  const content = await openContent(() => readChunks(handle), answers)
  if (content.kind === 'records') return openRecords(content)
  if (content.isWhole) {
    const rows = await readWorkbook(handle, table, answers, signal)
    return openTable({ first: () => rows, again: () => rows }, choices, signal)
  }
  return openTable({ first: () => content.read(table), again: () => content.read(createNotes()) }, choices, signal)
}

/** The bytes that a workbook may have, as where files are uploaded. */
const MAX_WORKBOOK = 32 * 1_048_576

async function readWorkbook(
  handle: FileHandle,
  table: TableNotes,
  answers: FileAnswers,
  signal: AbortSignal,
): Promise<(readonly FileRow[])[]> {
  const { size } = await handle.stat()
  if (size > MAX_WORKBOOK)
    throw new FileError(1, `A workbook must have at most ${MAX_WORKBOOK} bytes. Save its sheet as CSV (UTF-8)`)
  const chunks: Buffer[] = []
  for await (const chunk of readChunks(handle)) chunks.push(chunk)
  const rows: (readonly FileRow[])[] = []
  for await (const piece of readApart({ bytes: size, read: () => chunks }, answers, table, { signal }))
    if (piece.kind === 'rows') rows.push(piece.items)
  return rows
}

async function makePlan({ readKeys, mapping }: Source, signal: AbortSignal): Promise<FilePlan> {
  const keys: RowKeys[] = []
  for await (const row of readKeys()) {
    signal.throwIfAborted()
    keys.push(row)
  }
  return doInTurns(planRows(keys, mapping ?? USUAL_CHOICES, (line) => `line ${line}`))
}

/** Counts what the rows say about what nobody has decided. What is open then is a fault. */
async function countRows({ readRows, header, mapping, today }: Source, plan: FilePlan, signal: AbortSignal) {
  if (!header || !mapping) return null
  const counts = new RowCounts(header.cells, mapping, today)
  for await (const { cells } of readRows()) {
    signal.throwIfAborted()
    counts.add(cells)
  }
  // Managers whom nobody knows are marked; the calls say the rest.
  const counted = counts.finish(plan, { absent: 0, linkable: 0 })
  return { mapping: counted, faults: openRows(header, counted, today).faults }
}

/** The rows that are worked on before something else may have its turn. */
const AT_ONCE = 200

async function* inTurns<Row>(
  batches: AsyncIterable<readonly Row[]> | Iterable<readonly Row[]>,
): AsyncGenerator<Row, void> {
  let count = 0
  for await (const batch of batches)
    for (const row of batch) {
      if (count % AT_ONCE === 0) await setImmediate()
      count += 1
      yield row
    }
}

/** Does work in pieces, each in a turn of its own. */
export async function doInTurns<Result>(work: Generator<void, Result, void>): Promise<Result> {
  for (;;) {
    const { done, value } = work.next()
    if (done) return value
    await setImmediate()
  }
}

/** Reads the records that can be read, managers first. A file in another order is held in memory. */
async function* readInOrder({ readAll }: Source, plan: FilePlan): AsyncGenerator<FileRecord, void> {
  const isInOrder = plan.order.every((index, at) => index === at)
  const held: (FileRecord | null)[] = []
  for await (const { line, json, faults, repeats } of readAll(plan)) {
    const record = faults.length === 0 && !repeats ? { line, json } : null
    if (!isInOrder) held.push(record)
    else if (record) yield record
  }
  if (!isInOrder) for (const index of plan.order) if (held[index]) yield held[index]
}

function openRecords({ read }: Extract<FileContent, { kind: 'records' }>): Source {
  async function* readRecords(): AsyncGenerator<FileRecord, void> {
    for await (const record of inTurns(read())) yield requireJson(record)
  }
  return {
    reader: null,
    mapping: null,
    doubted: [],
    header: null,
    today: '',
    async *readRows() {},
    clearable: [],
    async *readKeys() {
      for await (const { line, json } of readRecords()) yield { ...keysOfRecord(JSON.parse(json)), line }
    },
    async *readAll({ plans }) {
      let at = 0
      for await (const { line, json } of readRecords()) {
        const faults = (plans.get(at)?.faults ?? []).map((message) => ({ line, column: null, message }))
        yield { line, json, faults, notes: [] }
        at += 1
      }
    },
  }
}

/** Other values than objects are no records: the first of them ends a list of millions. */
function requireJson({ line, json }: FileRecord): FileRecord {
  let record: unknown
  try {
    record = JSON.parse(json)
  } catch {
    throw new FileError(line, 'The record that begins here is not valid JSON')
  }
  if (typeof record !== 'object' || record === null || Array.isArray(record))
    throw new FileError(line, 'The record that begins here is not an object with the fields of an employee')
  return { line, json }
}

/** The rows of a table, which is read several times: with its notes first, and then without. */
type RowBatches = AsyncIterable<readonly FileRow[]> | Iterable<readonly FileRow[]>

async function openTable(
  { first, again }: { first(): RowBatches; again(): RowBatches },
  choices: Choices,
  signal: AbortSignal,
): Promise<Source> {
  async function* readBelow(): AsyncGenerator<FileRow, void> {
    let isHeader = true
    for await (const row of inTurns(again())) {
      if (!isHeader) yield row
      isHeader = false
    }
  }
  const { header, mapping, doubted, today, hasEmpty } = await mapColumns(inTurns(first()), choices, signal)
  const reader = openRows(header, mapping, today)
  return {
    reader,
    mapping,
    doubted,
    header,
    today,
    readRows: readBelow,
    clearable: [...reader.clearable].flatMap(([field, column]) => (hasEmpty(column) ? [field] : [])),
    async *readKeys() {
      for await (const row of readBelow()) yield reader.readKeys(row)
    },
    async *readAll({ plans }) {
      let at = 0
      for await (const row of readBelow()) {
        const plan = plans.get(at)
        yield { line: row.line, ...reader.read(row, plan), repeats: plan?.repeats }
        at += 1
      }
    },
  }
}

/** Finds out what the columns mean, from their names and all of their values. */
async function mapColumns(rows: AsyncIterable<FileRow>, choices: Choices, signal: AbortSignal) {
  let header: FileRow | null = null
  let samples = collectSamples(0)
  let hide = hideSecrets([])
  let count = 0
  for await (const row of rows) {
    signal.throwIfAborted()
    if (header !== null) {
      samples.add(hide(row.cells))
      count += 1
    } else {
      header = row
      samples = collectSamples(row.cells.length)
      hide = hideSecrets(row.cells)
    }
  }
  if (header === null) throw new FileError(1, 'The file has no records')
  const today = new Date().toISOString().slice(0, 'YYYY-MM-DD'.length)
  const given = chooseColumns(await doInTurns(proposeMapping(header.cells, samples.sample)), choices)
  const { mapping: chosen, open } = await doInTurns(doubtDates(given, header.cells, samples.sample))
  const completed = await doInTurns(completeReadings(chosen, header.cells, samples.sample))
  const hasEmpty = (column: number) => samples.sample.columns[column - 1]!.filled < count
  const mapping = answerFile(completed, choices.answers)
  const isTurned = mapping.columns.some(({ dates }, at) => dates === null && given.columns[at]!.dates)
  return { header, mapping: { ...mapping, ...(isTurned && { needs_review: true }) }, doubted: open, today, hasEmpty }
}

const CHUNK_BYTES = 16_384

/**
 * Reads a file from its beginning, whoever else reads it through the same handle. Each chunk takes a turn of its own.
 */
async function* readChunks(handle: FileHandle): AsyncGenerator<Buffer, void> {
  for (let position = 0; ;) {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(CHUNK_BYTES), 0, CHUNK_BYTES, position)
    if (bytesRead === 0) return
    yield buffer.subarray(0, bytesRead)
    position += bytesRead
  }
}
