import { pipeline, Readable } from 'node:stream'
import type { CsvError } from 'csv-parse'
import { parse } from 'csv-parse'
import { FileError } from './file-error.ts'

/** A row of a file, and the line on which it begins, from 1. */
export interface FileRow {
  line: number
  cells: readonly string[]
}

/** The characters of a row, and the separators of a line: several times what valid records can have. */
const MAX_ROW = 262_144
const MAX_SEPARATORS = 20_000

/**
 * Reads CSV (RFC 4180) whose cells are separated by commas, semicolons, tabs, or vertical bars. Holds one chunk of the
 * text at a time. Throws FileError at a line that cannot be read.
 */
export async function* readCsv(chunks: AsyncIterable<string> | Iterable<string>): AsyncGenerator<FileRow, void> {
  const { separator, all } = await findSeparator(Readable.from(chunks))
  const parser = parse({ delimiter: separator, info: true, relax_column_count: true, max_record_size: MAX_ROW })
  // Reading the rows throws what fails.
  pipeline(Readable.from(refuseCrowdedLines(all, separator)), parser, () => undefined)
  try {
    let line = 1
    for await (const row of parser) {
      const { record, info } = row as { record: string[]; info: { lines: number } }
      yield { line, cells: record }
      line = info.lines + 1
    }
  } catch (error) {
    throw error instanceof FileError ? error : describe(error as CsvError & { lines?: number })
  }
}

function describe(error: CsvError & { lines?: number }): Error {
  const { code, lines: line = 1 } = error
  // The parser has other codes, and may get more.
  switch (code as string) {
    case 'CSV_MAX_RECORD_SIZE':
      return new FileError(line, `The line has more than ${MAX_ROW} characters. A quotation mark may be missing`)
    case 'CSV_QUOTE_NOT_CLOSED':
      return new FileError(line, 'A cell that begins with a quotation mark does not end with one')
    case 'INVALID_OPENING_QUOTE':
    case 'CSV_INVALID_CLOSING_QUOTE':
      return new FileError(line, 'A quotation mark within a cell must be doubled, and the cell be in quotation marks')
    default:
      return error
  }
}

const SEPARATORS = [',', ';', '\t', '|']

/** Finds the separator that occurs most in the first line, apart from text in quotation marks. */
async function findSeparator(chunks: Readable): Promise<{ separator: string; all: AsyncIterable<string> }> {
  const iterator = chunks[Symbol.asyncIterator]() as AsyncIterableIterator<string>
  let head = ''
  while (head.length < MAX_ROW && !head.includes('\n')) {
    const { done, value } = await iterator.next()
    if (done === true) break
    head += value
  }
  const [first = ''] = head.slice(0, MAX_ROW).split(/\r?\n/, 1)
  const plain = first.replaceAll(/"[^"]*"/g, '')
  const count = (separator: string) => plain.split(separator).length
  const [separator] = SEPARATORS.toSorted((a, b) => count(b) - count(a))
  async function* all() {
    yield head
    yield* iterator
  }
  return { separator: separator!, all: all() }
}

/** Refuses a line with too many separators, which would take much memory. */
async function* refuseCrowdedLines(chunks: AsyncIterable<string>, separator: string): AsyncGenerator<string, void> {
  let [line, count] = [1, 0]
  for await (const chunk of chunks) {
    for (const character of chunk) {
      if (character === '\n') [line, count] = [line + 1, 0]
      else if (character === separator) count += 1
      if (count > MAX_SEPARATORS) throw new FileError(line, `The line has more than ${MAX_SEPARATORS} cells`)
    }
    yield chunk
  }
}
