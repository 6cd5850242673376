import type { Problem } from '../../../domain/errors.ts'
import { isObject } from '../../../domain/json-object.ts'
import { createEncodingDetector } from '../../../../clients/typescript/spreadsheets/detect-encoding.ts'
import type { FileFault } from '../../../../clients/typescript/spreadsheets/file-error.ts'
import { FileError } from '../../../../clients/typescript/spreadsheets/file-error.ts'
import type { FileRow } from '../../../../clients/typescript/spreadsheets/read-csv.ts'
import { readCsv } from '../../../../clients/typescript/spreadsheets/read-csv.ts'
import type { ColumnUse, FileRecords } from '../../../../clients/typescript/spreadsheets/read-records.ts'
import { readRecords } from '../../../../clients/typescript/spreadsheets/read-records.ts'
import { parseJsonBody } from '../../server/json-body.ts'
import { ProblemError } from '../../server/problem.ts'

/** What an uploaded file holds. Of a JSON file, records have no lines and no columns. */
export interface UploadedFile extends Omit<FileRecords, 'records'> {
  /** The records as the body of a bulk call. */
  body: unknown
  /** The number of records. */
  count: number
}

const NOTHING = { body: [], count: 0, lines: [], columns: new Map(), unknown: [], logIds: [] }

/** Reads a file, CSV or JSON, of at most `maxRecords` records. What is wrong with it is in `faults`. */
export async function readFile(
  bytes: Buffer,
  uses: ReadonlyMap<string, ColumnUse>,
  maxRecords: number,
): Promise<UploadedFile> {
  try {
    const text = decode(bytes)
    if (text.trim() === '') return { ...NOTHING, faults: [faultAt(1, 'The file is empty')] }
    return /^\s*[[{]/.test(text) ? readJson(text, maxRecords) : await readRows(text, uses, maxRecords)
  } catch (error) {
    if (error instanceof FileError) return { ...NOTHING, faults: [error.fault] }
    throw error
  }
}

function decode(bytes: Buffer): string {
  const detector = createEncodingDetector()
  detector.push(bytes)
  return new TextDecoder(detector.finish()).decode(bytes)
}

function readJson(text: string, maxRecords: number): UploadedFile {
  const { body, fault } = checkBody(text, maxRecords)
  if (fault) return { ...NOTHING, faults: [faultAt(1, fault.detail)] }
  const records = isObject(body) ? body['employees'] : body
  return { ...NOTHING, body, count: Array.isArray(records) ? records.length : 1, faults: [] }
}

async function readRows(text: string, uses: ReadonlyMap<string, ColumnUse>, maxRecords: number): Promise<UploadedFile> {
  const rows: FileRow[] = []
  for await (const row of readCsv([text])) {
    if (rows.length > maxRecords) {
      const message = `A file must have at most ${maxRecords} rows below the first line`
      return { ...NOTHING, faults: [faultAt(row.line, message)] }
    }
    rows.push(row)
  }
  const [header, ...others] = rows
  const { records, ...read } = readRecords(header!, others, uses)
  const file = { ...read, body: [], count: records.length }
  if (file.faults.length > 0) return file
  if (records.length === 0)
    return { ...file, faults: [faultAt(header!.line, 'There are no records below the first line')] }
  // The records meet the same rules as those of a call.
  const { body, fault } = checkBody(`[${records.join(',')}]`, maxRecords)
  return fault ? { ...file, faults: [faultAt(header!.line, fault.detail)] } : { ...file, body }
}

function faultAt(line: number, message: string): FileFault {
  return { line, column: null, message }
}

function checkBody(json: string, maxRecords: number): { body?: unknown; fault?: Problem } {
  try {
    return { body: parseJsonBody(Buffer.from(json), maxRecords) }
  } catch (error) {
    if (error instanceof ProblemError) return { fault: error.problem }
    throw error
  }
}
