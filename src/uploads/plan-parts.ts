import { doInTurns, eachInTurns, isTurnOver, nextTurn } from '#admission/turns'
import { FileError } from '#spreadsheets/file-error'
import { isDate, USUAL_CHOICES, type Mapping } from '#spreadsheets/mapping/mapping'
import { type FilePlan, keysOfRecord, NOBODY, planRows, type RowKeys } from '#spreadsheets/rows/plan-rows'
import { RowCounts } from '#spreadsheets/rows/count-rows'
import { loadCountryNames } from '#spreadsheets/values/read-country'
import { openRows } from '#spreadsheets/rows/read-records'
import type { ComparedRecord, StoredDifference } from '#spreadsheets/rows/stored-differences'
import type { CorrectedRecord, StoredRow } from '#domain/uploads'
import type { CommandServices } from '#ledger/calls/run-api-call'
import type { FilledPart, NewPart } from '#ledger/uploads/store-upload'
import { FileFaultError, PartBuilder } from './part-builder.ts'
import type { RowStore } from './row-store.ts'

/** The rows of a file, and what they mean. */
export interface PlannedFile {
  /** The line that names the columns; null for JSON. */
  header: readonly string[] | null
  /** Null for JSON. */
  mapping: Mapping | null
  /** In the order of the file. The plan takes them. */
  rows: RowStore
}

/** What a plan needs to know besides the file. */
export interface PlanFacts extends Pick<CommandServices, 'newId'> {
  /** As YYYY-MM-DD. */
  today: string
  /** Counts the rows whose manager, who is nobody in the file, is nobody in the company either. */
  countAbsent(rows: readonly RowKeys[]): Promise<number>
  /** Counts the rows that `link_by_email` would link to people without an external id. */
  countLinkable(rows: readonly RowKeys[]): Promise<number>
  /** Counts the rows of people who have come back, whose stored end date is before their start date. */
  countReturning(rows: readonly RowKeys[]): Promise<number>
  /**
   * Finds what many rows would change at once, as hardly anybody means it, and notes it. Absent where somebody has just
   * looked at the file.
   */
  compare?(rows: readonly RowKeys[], readRecord: (at: number) => ComparedRecord): Promise<StoredDifference[]>
}

/**
 * Splits a file into parts of `maxRecords` records and a body's bytes at most. Of a file with several parts, the rows are
 * ordered so that managers come first. Returns the mapping with what the rows say about it, too. `corrects` has the records
 * of failed calls by the numbers of rows. The parts throw FileFaultError if the file is too large, and both throw the
 * reason of the signal.
 */
export async function planParts(
  { header, mapping, rows }: PlannedFile,
  limits: { maxRecords: number; bodyLimit: number },
  corrects: ReadonlyMap<number, readonly CorrectedRecord[]>,
  { newId, today, countAbsent, countLinkable, countReturning, compare }: PlanFacts,
  signal?: AbortSignal,
): Promise<{ parts: AsyncIterable<NewPart>; mapping: Mapping | null }> {
  const readKeys = openKeys(header, mapping)
  const counts = header && mapping ? new RowCounts(header, mapping, today) : null
  const keys: RowKeys[] = []
  const numbers: number[] = []
  const sizes: number[] = []
  if (mapping) await doInTurns(loadCountryNames(mapping.columns), signal)
  const look = (row: StoredRow) => {
    keys.push(readKeys(row))
    numbers.push(row.row)
    sizes.push(sizeOf(header, row))
    counts?.add(row.cells ?? [])
  }
  await eachInTurns(rows, look, signal)
  const place = header === null ? (row: number) => `record ${row}` : (line: number) => `line ${line}`
  const plan = await doInTurns(planRows(keys, mapping ?? USUAL_CHOICES, place), signal)
  const lines = keys.map(({ line }) => line)
  const parts = buildParts(rows, { ...plan, corrects, lines, numbers, sizes }, limits, newId, signal)
  if (!counts) return { parts, mapping }
  const absent = await countAbsent(plan.absent.map((at) => keys[at]!))
  const [linkable, returning] = [await countLinkable(keys), await countReturning(keys)]
  const counted = counts.finish(plan, { absent, linkable, returning })
  const reader = openRows({ line: 1, cells: header! }, counted, today)
  const readRecord = (at: number) => {
    const { line = 1, cells = [] } = rows.get(at)
    return JSON.parse(reader.read({ line, cells }, plan.plans.get(at)).json) as ComparedRecord
  }
  if (!compare || reader.faults.length > 0) return { parts, mapping: counted }
  const differences = await compare(keys, readRecord)
  return { parts, mapping: differences.length === 0 ? counted : openDates(counted, differences) }
}

/** What is known about the rows of a file, by their indexes. */
interface KnownRows extends Pick<FilePlan, 'plans' | 'order' | 'managers'> {
  lines: readonly number[]
  /** The number of each row in the file, and the records that it corrects by this number. */
  numbers: readonly number[]
  /** The size of each row's record as JSON. */
  sizes: readonly number[]
  corrects: ReadonlyMap<number, readonly CorrectedRecord[]>
}

/** Builds one part after the other, so that one is held at a time. Its rows are not held beside it. */
async function* buildParts(
  rows: RowStore,
  { plans, order, managers, lines, numbers, sizes, corrects }: KnownRows,
  limits: { maxRecords: number; bodyLimit: number },
  newId: CommandServices['newId'],
  signal?: AbortSignal,
): AsyncGenerator<NewPart, void> {
  const isSingle = rows.length <= limits.maxRecords
  const builder = new PartBuilder(limits)
  /** The place of each row among those that count, in the order in which they are added, from 1; 0 before. */
  const places = new Int32Array(rows.length)
  let place = 1
  const toPart = (part: FilledPart) => ({ ...part, callId: newId('log') })
  try {
    for (let at = 0; at < rows.length; at += 1) {
      if (isTurnOver()) await nextTurn(signal)
      const index = isSingle ? at : order[at]!
      const plan = plans.get(index)
      places[index] = place
      if (plan?.repeats === undefined) place += 1
      const more = { ...withPlan(plan), ...withCorrections(corrects.get(numbers[index]!)) }
      const manager = managers[index]!
      const hasManager = manager !== NOBODY && places[manager] !== 0 && plan?.manager?.fault === undefined
      const named = hasManager ? { row: numbers[manager]!, place: places[manager]! } : null
      const [line, bytes] = [lines[index]!, sizes[index]!]
      const full = builder.add({ row: rows.take(index), more, line, bytes, manager: named })
      if (full) yield toPart(full)
    }
    yield toPart(builder.end())
  } catch (error) {
    throw error instanceof FileError ? new FileFaultError([error.fault]) : error
  }
}

/** Asks a person to look, and for the order of dates again. */
function openDates(mapping: Mapping, differences: readonly StoredDifference[]): Mapping {
  const isOpen = ({ to }: Mapping['columns'][number]) => isDate(to) && differences.some(({ field }) => field === to)
  const open = (column: Mapping['columns'][number]) => (isOpen(column) ? { ...column, dates: null } : column)
  return { ...mapping, columns: mapping.columns.map(open), needs_review: true }
}

const withPlan = (plan: StoredRow['plan']) => (plan ? { plan } : {})
const withCorrections = (corrects: StoredRow['corrects']) => (corrects ? { corrects } : {})

/** Reads whom the rows of a file name. */
export function openKeys(header: readonly string[] | null, mapping: Mapping | null): (row: StoredRow) => RowKeys {
  if (header === null || mapping === null) return ({ row, record }) => ({ ...keysOfRecord(record), line: row })
  const file = openRows({ line: 1, cells: header }, mapping, '')
  return ({ line = 1, cells = [] }) => file.readKeys({ line, cells })
}

/** About how many bytes a row is as JSON, which repeats the names of its columns. */
function sizeOf(header: readonly string[] | null, { cells, record }: StoredRow): number {
  if (header === null || !cells) return JSON.stringify(record).length
  return cells.reduce((sum, cell, at) => sum + (cell === '' ? 0 : cell.length + (header[at]?.length ?? 0) + 6), 2)
}
