import type { FileAnswers } from './file-question.ts'
import { createNotes, findTable, type TableNotes } from './find-table.ts'
import { flattenJson, inspectJson } from './flatten-json.ts'
import type { FileRow } from './read-csv.ts'
import { readCsv } from './read-csv.ts'
import type { Chunks } from './recognize-file.ts'
import { decodeText, recognizeFile } from './recognize-file.ts'
import type { JsonElement } from './split-json.ts'
import { splitJson } from './split-json.ts'
import { readWorkbookRows } from './workbook-rows.ts'

/** What a file holds, which can be read several times. */
export type FileContent =
  | {
      kind: 'table'
      /** A workbook is parsed as a whole each time that it is read. */
      isWorkbook: boolean
      /** Yields the row that names the columns, and then the records. What is left out goes to the notes. */
      read(notes: TableNotes): AsyncIterable<FileRow[]>
    }
  | {
      kind: 'records'
      /** Yields records as the API takes them. */
      read(): AsyncIterable<JsonElement[]>
    }

/** What reading a file needs besides its bytes. */
export interface ReadingSettings {
  signal?: AbortSignal | undefined
  /** Waits until a workbook may be read. Returns the function that says that it was. */
  acquireThread?: (() => Promise<() => void>) | undefined
}

/**
 * Finds out what a file holds, whatever program wrote it: CSV, a workbook, or JSON, in any encoding. `open` gives its
 * chunks from the beginning, each time that it is called. Throws FileError, FileQuestion, or the reason of the signal.
 */
export async function openContent(
  open: () => Chunks,
  answers: FileAnswers,
  settings: ReadingSettings = {},
): Promise<FileContent> {
  const format = await recognizeFile(open(), answers)
  const { headerLine } = answers
  if (format.kind === 'workbook')
    return {
      kind: 'table',
      isWorkbook: true,
      read: (notes) => findTable(readWorkbook(open, answers, notes, settings), headerLine, notes),
    }
  const texts = () => decodeText(open(), format.encoding)
  if (format.kind === 'csv')
    return { kind: 'table', isWorkbook: false, read: (notes) => findTable(readCsv(texts()), headerLine, notes) }
  const ofFile = createNotes()
  const { columns, labels } = await inspectJson(texts(), ofFile)
  if (columns === null) return { kind: 'records', read: () => splitJson(texts()) }
  return {
    kind: 'table',
    isWorkbook: false,
    read(notes) {
      notes.leftOut.push(...ofFile.leftOut)
      return flattenJson(texts(), { columns, labels }, notes)
    },
  }
}

async function* readWorkbook(
  open: () => Chunks,
  { sheet }: FileAnswers,
  notes: TableNotes,
  { signal, acquireThread }: ReadingSettings,
): AsyncGenerator<FileRow[], void> {
  const release = await acquireThread?.()
  try {
    const chunks: Uint8Array[] = []
    for await (const chunk of open()) chunks.push(chunk)
    yield* readWorkbookRows({ bytes: Buffer.concat(chunks), sheet }, notes, signal)
  } finally {
    release?.()
  }
}
