import type { Problem } from '../../../domain/errors.ts'
import { isObject } from '../../../domain/json-object.ts'
import type { ColumnUse, FileFault, FileRecords } from '../../../domain/spreadsheets/read-records.ts'
import { readRecords } from '../../../domain/spreadsheets/read-records.ts'
import { parseJsonBody } from '../../server/json-body.ts'
import { ProblemError } from '../../server/problem.ts'
import { decodeText } from './decode-text.ts'
import { parseCsv } from './parse-csv.ts'

/** What an uploaded file holds. Of a JSON file, records have no lines and no columns. */
export interface UploadedFile extends Omit<FileRecords, 'records'> {
  /** The records as the body of a bulk call. */
  body: unknown
  /** The number of records. */
  count: number
}

const NOTHING = { body: [], count: 0, lines: [], columns: new Map(), unknown: [], logIds: [] }

/** Reads a file, CSV or JSON, of at most `maxRecords` records. What is wrong with it is in `faults`. */
export function readFile(bytes: Buffer, uses: ReadonlyMap<string, ColumnUse>, maxRecords: number): UploadedFile {
  const { text = '', fault } = decodeText(bytes)
  if (fault) return { ...NOTHING, faults: [{ ...fault, column: null }] }
  if (text.trim() === '') return { ...NOTHING, faults: [faultAt(1, 'The file is empty')] }
  return /^\s*[[{]/.test(text) ? readJson(text, maxRecords) : readCsv(text, uses, maxRecords)
}

function readJson(text: string, maxRecords: number): UploadedFile {
  const { body, fault } = checkBody(text, maxRecords)
  if (fault) return { ...NOTHING, faults: [faultAt(1, fault.detail)] }
  const records = isObject(body) ? body['employees'] : body
  return { ...NOTHING, body, count: Array.isArray(records) ? records.length : 1, faults: [] }
}

function readCsv(text: string, uses: ReadonlyMap<string, ColumnUse>, maxRecords: number): UploadedFile {
  const { rows = [], fault } = parseCsv(text, maxRecords + 1)
  if (fault) return { ...NOTHING, faults: [fault] }
  const [header, ...others] = rows
  const file = readRecords(header!, others.slice(0, maxRecords), uses)
  const { records, ...read } = file
  const found = { ...read, body: records, count: records.length }
  if (others.length > maxRecords)
    return {
      ...found,
      faults: [faultAt(others[maxRecords]!.line, `A file must have at most ${maxRecords} rows below the first line`)],
    }
  if (file.faults.length > 0) return found
  if (records.length === 0)
    return { ...found, faults: [faultAt(header!.line, 'There are no records below the first line')] }
  // The records meet the same rules as those of a call.
  const { body, fault: refusal } = checkBody(JSON.stringify(records), maxRecords)
  return refusal ? { ...found, faults: [faultAt(header!.line, refusal.detail)] } : { ...found, body }
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
