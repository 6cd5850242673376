import { rulesOf } from '#domain/operations'
import { inTurns } from '#admission/turns'
import { readName } from '#spreadsheets/cells'
import { type CorrectedRecord, type StoredRow, type UploadOperation, MAX_CORRECTIONS } from '#domain/uploads'
import type { CorrectedRecords } from '#domain/events'
import { isId } from '#domain/ids'
import { findCalls, isCorrectable, listRefusedIndexes, type FoundCall } from '#ledger/corrections/corrections'
import type { LedgerDb } from '#ledger/tables'

/*
 * Which records of which failed calls the rows of a file are. The ledger decides: it has a call from the moment of its
 * answer.
 */

type Header = readonly string[] | null

/** The rows of a file, in its order. */
interface FileRows {
  header: Header
  rows: Iterable<StoredRow> & { length: number }
}

interface MatchedFile {
  /** The ids of the failed calls that the file corrects. */
  corrects: string[]
  /** The records that a row corrects, by its number. */
  places: ReadonlyMap<number, CorrectedRecord[]>
  /** What these calls asked for, if it is the same; null otherwise, or if there are none. */
  operation: UploadOperation | null
}

/**
 * Matches the rows of a file with records of failed calls, of which `logIds` names the candidates. A row says which
 * record it is in the columns `log_id` and `index`. If there are as many rows as the call has records, those without an
 * index are the records that the others leave, in its order. If no row has an index, and there are as many as the call
 * refused, they are these. A row of a call that itself corrects others corrects these, too.
 */
export async function matchCorrections(
  db: LedgerDb,
  companyId: string,
  { header, rows: fileRows }: FileRows,
  logIds: readonly string[],
  signal?: AbortSignal,
): Promise<MatchedFile> {
  const ids = [...new Set(logIds.filter((id) => isId('log', id)))].slice(0, MAX_CORRECTIONS)
  const calls = (await findCalls(db, companyId, ids)).filter(isCorrectable)
  const places = new Map<number, CorrectedRecord[]>()
  if (calls.length === 0) return { corrects: [], places, operation: null }
  const operations = new Set(calls.map(({ operation }) => rulesOf(operation).resentAs))
  const operation = operations.size === 1 ? [...operations][0]! : null
  const groups = await groupByCall({ header, rows: fileRows }, calls, signal)
  // Of several calls that no row names, nobody knows whose records these are.
  if (groups.size === 0) return { corrects: calls.map(({ id }) => id), places, operation }
  const corrects = new Set<string>()
  for (const [call, rows] of groups) {
    const indexes = await placeRows(db, companyId, call, rows)
    const earlier = findEarlier(call)
    for (const [at, { row }] of rows.entries()) {
      const records = recordsOf(call, indexes[at], earlier)
      places.set(row, records)
      for (const { logId } of records) corrects.add(logId)
    }
  }
  return { corrects: [...corrects].slice(0, MAX_CORRECTIONS), places, operation }
}

interface RowOfCall {
  /** The number of the row. */
  row: number
  /** As the file says. */
  index: number | undefined
}

async function groupByCall({ header, rows }: FileRows, calls: readonly FoundCall[], signal: AbortSignal | undefined) {
  const callOf = new Map(calls.map((call) => [call.id, call]))
  const columnOf = (name: string) => header?.findIndex((cell) => readName(cell) === name) ?? -1
  const [idColumn, indexColumn] = [columnOf('log_id'), columnOf('index')]
  const groups = new Map<FoundCall, RowOfCall[]>()
  const [only, ...others] = calls
  // Whoever adds the valid records to a downloaded file leaves these columns empty.
  const isWhole = others.length === 0 && rows.length === only?.total
  for await (const row of inTurns(rows, signal)) {
    const call = callOf.get(row.cells?.[idColumn] ?? '') ?? (isWhole ? only : undefined)
    if (!call) continue
    const group = groups.get(call) ?? []
    group.push({ row: row.row, index: readIndex(row.cells?.[indexColumn]) })
    groups.set(call, group)
  }
  if (groups.size === 0 && only && others.length === 0)
    groups.set(
      only,
      Array.from({ length: rows.length }, (_, at) => ({ row: at + 1, index: undefined })),
    )
  return groups
}

function readIndex(cell: string | undefined): number | undefined {
  const digits = cell === undefined ? '' : readName(cell)
  return /^\d{1,6}$/.test(digits) ? Number(digits) : undefined
}

async function placeRows(
  db: LedgerDb,
  companyId: string,
  { id, total }: FoundCall,
  rows: readonly RowOfCall[],
): Promise<readonly (number | undefined)[]> {
  const said = rows.map(({ index }) => (index !== undefined && index < total ? index : undefined))
  if (rows.length === total) return placeOthers(said)
  if (said.some((index) => index !== undefined)) return said
  const refused = await listRefusedIndexes(db, companyId, id)
  return rows.length === refused.length ? refused : said
}

/** Gives the rows without an index the indexes that no row has, in their order. */
function placeOthers(said: readonly (number | undefined)[]): (number | undefined)[] {
  const taken = new Set(said)
  const free = [...said.keys()].filter((index) => !taken.has(index)).values()
  return said.map((index) => index ?? free.next().value)
}

/** The records that those of a call were to correct themselves, by their indexes in it. */
function findEarlier({ correctedRecords }: FoundCall): Map<number, CorrectedRecord[]> {
  const earlier = new Map<number, CorrectedRecord[]>()
  for (const [logId, pairs] of Object.entries(correctedRecords))
    for (const [own, index] of pairs) earlier.set(own, [...(earlier.get(own) ?? []), { logId, index }])
  return earlier
}

function recordsOf(
  { id }: FoundCall,
  index: number | undefined,
  earlier: ReadonlyMap<number, CorrectedRecord[]>,
): CorrectedRecord[] {
  return index === undefined ? [{ logId: id }] : [{ logId: id, index }, ...(earlier.get(index) ?? [])]
}

/** What the call of a part corrects: those of the file whose records the part has. */
export function correctionsOf(
  { header, corrects }: { header: Header; corrects: readonly string[] },
  rows: readonly StoredRow[],
): { corrects: string[]; correctedRecords: CorrectedRecords } {
  const named = new Set<string>()
  const correctedRecords: CorrectedRecords = {}
  for (const [own, row] of rows.entries()) {
    for (const { logId, index } of row.corrects ?? []) {
      named.add(logId)
      if (index !== undefined) (correctedRecords[logId] ??= []).push([own, index])
    }
  }
  const areUnnamed = named.size === 0 && header?.some((cell) => readName(cell) === 'log_id') !== true
  return { corrects: areUnnamed ? [...corrects] : corrects.filter((id) => named.has(id)), correctedRecords }
}
