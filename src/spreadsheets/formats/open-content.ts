import { readHex } from '../cells.ts'
import type { FileAnswers } from './file-question.ts'
import { createNotes, findTable, leaveOut, type TableNotes } from '../tables/find-table.ts'
import { flattenJson, inspectJson, readJsonRows } from './flatten-json.ts'
import type { FileRow } from '../tables/file-row.ts'
import { readCsv } from './read-csv.ts'
import type { Chunks } from './recognize-file.ts'
import { decodeText, recognizeFile } from './recognize-file.ts'
import type { JsonElement } from './split-json.ts'
import { splitJson } from './split-json.ts'
import { MAX_UNPACKED } from './unpack-workbook.ts'

/** What a file holds, which can be read several times. */
export type FileContent =
  | {
      kind: 'table'
      /** Whether it is read as a whole, which may take long, and much memory: only a process that may die does that. */
      isWhole: boolean
      /** Yields the row that names the columns, and then the records. What is left out goes to the notes. */
      read(notes: TableNotes): AsyncIterable<FileRow[]>
    }
  | {
      kind: 'records'
      /** Yields records as the API takes them. */
      read(): AsyncIterable<JsonElement[]>
    }

/**
 * Finds out what a file holds, whatever program wrote it: CSV, a workbook, or JSON, in any encoding. `open` gives its
 * chunks from the beginning, each time that it is called. `maxUnpacked` is how many bytes the parts of a workbook may
 * have together. Throws FileError and FileQuestion.
 */
export async function openContent(
  open: () => Chunks,
  answers: FileAnswers,
  maxUnpacked = MAX_UNPACKED,
): Promise<FileContent> {
  const format = await recognizeFile(open(), answers)
  const { headerLine } = answers
  if (format.kind === 'workbook')
    return {
      kind: 'table',
      isWhole: true,
      read: (notes) => findTable(readSheet(readBytes(open()), answers.sheet, notes, maxUnpacked), headerLine, notes),
    }
  const texts = () => decodeText(open(), format.encoding)
  if (format.kind === 'markup')
    return {
      kind: 'table',
      isWhole: true,
      read: (notes) => findTable(readSheet(readText(texts()), answers.sheet, notes), headerLine, notes),
    }
  if (format.kind === 'csv')
    return {
      kind: 'table',
      isWhole: false,
      read(notes) {
        if (!format.encoding.startsWith('utf-')) notes.encoding = format.encoding
        return findTable(decodeHex(readCsv(texts())), headerLine, notes)
      },
    }
  const ofFile = createNotes()
  const { columns, labels, cells: names } = await inspectJson(texts(), ofFile)
  if (names)
    return {
      kind: 'table',
      isWhole: false,
      read: (notes) => findTable(readJsonRows(texts(), names), headerLine, notes),
    }
  if (columns === null) return { kind: 'records', read: () => splitJson(texts()) }
  return {
    kind: 'table',
    isWhole: false,
    read(notes) {
      for (const note of ofFile.leftOut) notes.leftOut.push(note)
      return flattenJson(texts(), { columns, labels }, notes)
    },
  }
}

async function* decodeHex(rows: AsyncIterable<FileRow[]>): AsyncGenerator<FileRow[], void> {
  for await (const some of rows)
    yield some.map((row) =>
      row.cells.some((cell) => cell.startsWith("X'")) ? { ...row, cells: row.cells.map(readHex) } : row,
    )
}

/** The rows that are handed on at once. */
const AT_ONCE = 100

const NO_MARKS = 'Rows that are struck through, colored, or hidden are read as others are: say in a column who has left'

async function readBytes(chunks: Chunks): Promise<Buffer> {
  const all: Uint8Array[] = []
  for await (const chunk of chunks) all.push(chunk)
  return Buffer.concat(all)
}

async function readText(texts: AsyncIterable<string>): Promise<string> {
  const all: string[] = []
  for await (const text of texts) all.push(text)
  return all.join('')
}

async function* readSheet(
  content: Promise<Buffer | string>,
  name: string | null,
  notes: TableNotes,
  maxUnpacked?: number,
): AsyncGenerator<FileRow[], void> {
  // The library takes a while to load.
  const { openWorkbook } = await import('./read-workbook.ts')
  const { rows, others, hasMarks } = openWorkbook(await content, name, maxUnpacked)
  for (const other of others) leaveOut(notes, 'other_sheet', null, null, `Sheet "${other}" is not read`)
  if (!hasMarks) leaveOut(notes, 'formatting', null, null, NO_MARKS)
  let some: FileRow[] = []
  for (const row of rows)
    if (some.push(row) === AT_ONCE) {
      yield some
      some = []
    }
  yield some
}
