import {
  AuthenticationError,
  ConnectionError,
  EmployeeLedgerError,
  NotFoundError,
  PermissionError,
  RateLimitError,
} from '../errors.ts'
import type { RecordError } from '../api-schemas.ts'
import type { FileFault } from '../../../src/spreadsheets/file-error.ts'
import type { TableNotes } from '../../../src/spreadsheets/tables/find-table.ts'
import type { FileQuestion } from '../../../src/spreadsheets/formats/file-question.ts'
import { readPointer } from '../../../src/spreadsheets/rows/read-records.ts'
import { CommandError, EXIT_CODES } from './exit-codes.ts'
import type { FileRecord, OpenedFile } from './open-file.ts'

/** The errors that are shown. */
export const MAX_SHOWN = 100

/** A call with records of a file. */
interface FileCall {
  path: string
  file: OpenedFile
  /** The index of its first record in the file. */
  first: number
  records: FileRecord[]
}

/** Describes what is wrong with a file. */
export function describeFaults(path: string, faults: readonly FileFault[]): string {
  return faults.map(({ line, column, message }) => `${place(path, line, column)}: ${message}`).join('\n')
}

/** Describes which rows of a file are no records. */
export function describeLeftOut(path: string, { leftOut, leftOutMore }: TableNotes): string[] {
  const shown = leftOut.map(({ line, lastLine, message }) =>
    line === null ? `${path}: ${message}` : `${path}: ${formatLines(line, lastLine)} left out: ${message}`,
  )
  return leftOutMore === 0 ? shown : [...shown, `${path}: ${formatNumber(leftOutMore)} more left out`]
}

function formatLines(line: number, lastLine: number | null): string {
  return lastLine === null || lastLine === line ? `line ${line}` : `lines ${line} to ${lastLine}`
}

/** Describes what a file leaves open: the options that answer it, and how the file reads with each. */
export function describeQuestion(path: string, { message, parameter, choices }: FileQuestion): string {
  const options = choices.map(
    ({ value, name, samples }) =>
      `  --${parameter} ${quote(value)}  ${name}: ${samples.map((text) => `"${text}"`).join(', ')}`,
  )
  return [`${path}: ${message}. Choose how to read it:`, ...options].join('\n')
}

function quote(value: string): string {
  return /^[\w.-]+$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`
}

/** Describes errors of a call's records, each at its line and column. */
export function describeErrors(errors: readonly RecordError[], { path, file, records }: FileCall): string[] {
  return errors.map(({ index, pointer, message }) => {
    const field = readPointer(pointer)
    const line = records[index]?.line ?? records[0]!.line
    return `${place(path, line, file.columns.get(field))}: ${field === '' ? '' : `${field}: `}${message}`
  })
}

/** Explains why a request failed. `outcome` says what that means for the file, and `errors` what is wrong with records. */
export function explainFailure(
  error: EmployeeLedgerError,
  path: string,
  outcome: string,
  errors: readonly string[] = [],
): CommandError {
  const reason = reasonOf(error)
  const more = errors.length - MAX_SHOWN + error.errorsOmitted
  const lines = [
    ...errors.slice(0, MAX_SHOWN),
    ...(more > 0 ? [`and ${formatNumber(more)} more errors`] : []),
    `${path}: ${error.detail} (${error.code}${error.logId === null ? '' : `, ${error.logId}`})`,
    outcome,
    ...(reason === 'unfinished' ? [LATER] : []),
    ...(error.code === 'invalid_query' ? [OTHER_VERSION] : []),
  ]
  return new CommandError(reason, lines.join('\n'), { cause: error })
}

const LATER = 'Run the same command again later: it continues, and nothing is applied twice.'
const OTHER_VERSION = 'The service is of another version than this program: run the one that it serves at /client.tgz.'

/** Describes what was applied before a call failed, and what was not. */
export function describeProgress(error: EmployeeLedgerError, { file, first, records }: FileCall): string {
  const applied = `${formatNumber(first)} of ${formatNumber(file.count)} records were applied.`
  if (error.mayHaveTakenEffect) return `${applied} The answer to the next call was lost.`
  const lines = `lines ${records[0]!.line} to ${records.at(-1)!.line}`
  return `${applied} Nothing of ${lines} was applied, and later lines were not sent.`
}

/** Whether a call was refused because of its records. */
export function isAboutRecords({ errors, mayHaveTakenEffect }: EmployeeLedgerError): boolean {
  return errors.length > 0 && !mayHaveTakenEffect
}

function reasonOf(error: EmployeeLedgerError): keyof typeof EXIT_CODES {
  const isUsage = [AuthenticationError, PermissionError, NotFoundError].some((kind) => error instanceof kind)
  if (isUsage || error.code === 'invalid_query') return 'usage'
  const isLater = error instanceof ConnectionError || error instanceof RateLimitError || error.mayHaveTakenEffect
  return isLater || (error.status ?? 500) >= 500 ? 'unfinished' : 'refused'
}

function place(path: string, line: number, column?: number | null): string {
  return `${path}: line ${line}${column === undefined || column === null ? '' : `, column ${column}`}`
}

/** Formats a number with separators: 25,000. */
export function formatNumber(value: number): string {
  return value.toLocaleString('en-US')
}
