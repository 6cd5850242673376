import { eachInTurns } from '#admission/turns'
import { parseRecord } from '#bodies/json-body'
import { readName } from '#spreadsheets/cells'
import { collectSamples, type FileSample } from '#spreadsheets/proposals/column-samples'
import { FileError } from '#spreadsheets/file-error'
import type { FileAnswers } from '#spreadsheets/formats/file-question'
import { createNotes, leaveOut, type TableNotes } from '#spreadsheets/tables/find-table'
import type { FileRow } from '#spreadsheets/tables/file-row'
import type { Mapping } from '#spreadsheets/mapping/mapping'
import { readApart, type FileContent } from '#spreadsheets/process/read-apart'
import { checkHeader } from '#spreadsheets/rows/read-records'
import { hideSecrets, isSecretHeader } from '#spreadsheets/words/recognize-header'
import type { JsonElement } from '#spreadsheets/formats/split-json'
import { FileFaultError } from './part-builder.ts'
import { RowStore } from './row-store.ts'

/** What calls may have. */
export interface CallLimits {
  maxRecords: number
  /** Bytes of a body. */
  bodyLimit: number
}

/** What a file holds. */
export interface ReadFile {
  /** The line that names the columns; null for JSON with records of the API. */
  header: string[] | null
  /** Where the table is, and what is left out. */
  notes: TableNotes
  rows: RowStore
  /** Some values of the columns; null for records of the API. */
  sample: FileSample | null
  /** What the columns are likely to mean; null for records of the API. */
  proposal: Mapping | null
  /** The calls whose records these are, as the file says. */
  logIds: string[]
  /** The names of columns that may hold passwords. Their cells are not in the rows. */
  secrets: string[]
}

/** How many bodies a file may be as large as. */
const BODIES = 4

/** The bytes that a file may have. One of JSON may have as many as the body of a call. */
export function maxFileBytes({ bodyLimit }: Pick<CallLimits, 'bodyLimit'>): number {
  return BODIES * bodyLimit
}

/** The ids of calls that are kept of a file. */
const MAX_LOG_IDS = 1_000

/** How many bodies the parts of a workbook may be as large as together. */
const UNPACKED_BODIES = 16

/**
 * Reads a file, and proposes what its columns mean, in a process of its own.
 * `country` is where local phone numbers are. Ends with the reason of the signal when
 * that is aborted. Throws FileFaultError if the file cannot be read, and FileQuestion if it can be read in several ways.
 * What is wrong with single cells is found when a part is read.
 */
export async function readFile(
  content: FileContent,
  answers: FileAnswers,
  limits: CallLimits,
  country: Mapping['country'],
  signal?: AbortSignal,
): Promise<ReadFile> {
  const notes = createNotes()
  let proposal: Mapping | null = null
  const takeProposal = (proposed: Mapping) => {
    proposal = proposed
  }
  const settings = { maxUnpacked: UNPACKED_BODIES * limits.bodyLimit, country, takeProposal, signal }
  const table = new TableReader(limits)
  const records = new RecordReader(content.bytes, limits)
  let isTable = true
  try {
    for await (const { kind, items } of readApart(content, answers, notes, settings)) {
      isTable = kind === 'rows'
      if (kind === 'rows') await eachInTurns(items, (row) => table.add(row), signal)
      else await eachInTurns(items, (record) => records.add(record), signal)
    }
    if (!isTable) return { header: null, sample: null, proposal, logIds: [], secrets: [], notes, rows: records.end() }
    const read = table.end()
    for (const name of read.secrets) leaveOut(notes, 'secret_column', null, null, describeSecrets(name))
    return { ...read, proposal, notes }
  } catch (error) {
    throw error instanceof FileError ? new FileFaultError([error.fault]) : error
  }
}

/** Keeps records as the API takes them. */
class RecordReader {
  readonly #bytes: number
  readonly #limits: CallLimits
  readonly #rows: RowStore

  /** `bytes` are those of the file. */
  constructor(bytes: number, limits: CallLimits) {
    this.#bytes = bytes
    this.#limits = limits
    this.#rows = new RowStore(limits)
  }

  add({ line, json }: JsonElement): void {
    const { bodyLimit } = this.#limits
    if (this.#bytes > bodyLimit) throw new FileError(1, `A JSON file must have at most ${bodyLimit} bytes`)
    const { record, problem } = parseRecord(json)
    if (problem !== undefined) throw new FileError(line, describeRecord(this.#rows.length + 1, problem))
    this.#rows.add({ row: this.#rows.length + 1, record })
  }

  end(): RowStore {
    if (this.#rows.length === 0) throw new FileError(1, 'There are no records in the list')
    return this.#rows
  }
}

/** What is wrong with a record, which was read like the body of a call. */
function describeRecord(number: number, detail: string): string {
  return detail.startsWith('The body ') ? detail.replace('The body', `Record ${number}`) : `Record ${number}: ${detail}`
}

/** Keeps the rows of a table, the first of which names the columns. The cells of secret columns are not kept. */
class TableReader {
  readonly #rows: RowStore
  readonly #logIds = new Set<string>()
  #file: OpenedFile | null = null

  constructor(limits: CallLimits) {
    this.#rows = new RowStore(limits)
  }

  add({ line, cells }: FileRow): void {
    const file = this.#file
    if (file === null) {
      this.#file = openFile({ line, cells })
      return
    }
    const kept = file.hideSecrets(cells)
    const logId = cells[file.logId] ?? ''
    if (logId !== '' && this.#logIds.size < MAX_LOG_IDS) this.#logIds.add(logId)
    file.samples.add(kept)
    this.#rows.add({ row: this.#rows.length + 1, line, cells: kept })
  }

  end(): Omit<ReadFile, 'notes' | 'proposal'> {
    const [file, rows] = [this.#file, this.#rows]
    if (file === null || rows.length === 0)
      throw new FileError(file?.line ?? 1, 'There are no records below the first line')
    const header = [...file.header]
    const { sample } = file.samples
    return { header, sample, logIds: [...this.#logIds], secrets: header.filter(isSecretHeader), rows }
  }
}

function describeSecrets(name: string): string {
  return `The column "${name}" may hold passwords: it is not read, and the file is not kept to be read in another way`
}

interface OpenedFile {
  line: number
  header: readonly string[]
  samples: ReturnType<typeof collectSamples>
  hideSecrets(cells: readonly string[]): readonly string[]
  /** The index of the column that says which call a record comes from; -1 if there is none. */
  logId: number
}

function openFile({ line, cells }: FileRow): OpenedFile {
  const faults = checkHeader({ line, cells })
  if (faults.length > 0) throw new FileFaultError(faults)
  const logId = cells.findIndex((cell) => readName(cell) === 'log_id')
  return { line, header: cells, samples: collectSamples(cells.length), hideSecrets: hideSecrets(cells), logId }
}
