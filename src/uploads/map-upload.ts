import { createBudget } from '#admission/budget'
import { doInTurns, eachInTurns } from '#admission/turns'
import { collectSamples, type FileSample } from '#spreadsheets/proposals/column-samples'
import type { FileFault } from '#spreadsheets/file-error'
import type { RowKeys } from '#spreadsheets/rows/plan-rows'
import type { Mapping } from '#spreadsheets/mapping/mapping'
import { completeReadings } from '#spreadsheets/proposals/propose-mapping'
import type { ComparedRecord } from '#spreadsheets/rows/stored-differences'
import { checkMapping } from '#spreadsheets/rows/read-records'
import { RefusedByStateError } from '#accounts/change-company'
import { problem } from '#domain/errors'
import type { StoredRow } from '#domain/uploads'
import { changeMapping, readRowsToPlan } from '#ledger/uploads/change-upload'
import { rememberMapping } from '#ledger/uploads/remember-mapping'
import { dateOf, readContent, type StoredUpload } from '#ledger/uploads/read-uploads'
import { keepHeapCompact } from './compact-heap.ts'
import { countAbsentManagers } from './absent-managers.ts'
import { countLinkable } from './linkable-people.ts'
import { compareWithStored } from './compare-with-stored.ts'
import { countReturning } from './returning-people.ts'
import { FileFaultError } from './part-builder.ts'
import { planParts } from './plan-parts.ts'
import { RowStore } from './row-store.ts'
import type { UploadRouteServices } from './store-file.ts'

/** How often rows are planned again because they have changed meanwhile. */
const MAX_TRIES = 5

export const NO_COLUMNS = problem('upload_not_applicable', 'A JSON file with records has no columns to map')

const CHANGED = problem('upload_not_applicable', 'The file is being applied, or has changed meanwhile')

/** The files that are read as a whole at once, each of another company. */
const wholeFiles = createBudget({ total: 4, share: 1, maxWaiting: 100 })

/** Runs a task that reads a company's stored file as a whole. Throws NoTurnError if others take until `until`. */
export function readWholeFile<Result>(companyId: string, until: number, task: () => Promise<Result>): Promise<Result> {
  return wholeFiles.hold(companyId, 1, until, () => keepHeapCompact(task))
}

/**
 * Sets what the columns of a file mean, before it is applied, and plans its rows again. Throws NoTurnError if others take
 * too long, FileFaultError if the mapping is not one of its columns, and RefusedByStateError with `upload_not_applicable`
 * for JSON, and once the file is being applied. What a program sends, which nobody has looked at beside the rows, is
 * compared with what is stored.
 */
export async function mapUpload(
  services: Pick<UploadRouteServices, 'pool' | 'commands' | 'bodyLimit' | 'announce'>,
  upload: StoredUpload,
  mapping: Mapping,
  sentBy: 'person' | 'program' = 'person',
): Promise<void> {
  const { commands, announce } = services
  const { header } = upload
  if (header === null) throw new RefusedByStateError(NO_COLUMNS)
  const faults: readonly FileFault[] = checkMapping({ line: 1, cells: header }, mapping)
  if (faults.length > 0) throw new FileFaultError(faults)
  const until = performance.now() + commands.maxWaitMs
  const parts = await readWholeFile(upload.companyId, until, () => planAgain(services, upload, header, mapping, sentBy))
  if (parts > 1) announce([upload.companyId])
}

/** Returns the number of parts. Throws RefusedByStateError. */
async function planAgain(
  { pool, commands, bodyLimit }: Pick<UploadRouteServices, 'pool' | 'commands' | 'bodyLimit'>,
  upload: StoredUpload,
  header: readonly string[],
  mapping: Mapping,
  sentBy: 'person' | 'program',
): Promise<number> {
  const limits = { maxRecords: commands.maxRecords, bodyLimit }
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const read = await readRowsToPlan(pool, upload)
    if (!read) break
    const rows = await collectRows(read.contents, limits)
    const sample = await sampleRows(header, rows)
    const whole = await doInTurns(completeReadings(mapping, header, sample))
    const facts = {
      newId: commands.newId,
      today: dateOf(upload),
      countAbsent: (absent: readonly RowKeys[]) => countAbsentManagers(pool, upload.companyId, absent),
      countLinkable: (all: readonly RowKeys[]) => countLinkable(pool, upload, all),
      countReturning: (all: readonly RowKeys[]) => countReturning(pool, upload.companyId, all),
    }
    // The mapping says the order of dates.
    const compare = (all: readonly RowKeys[], readRecord: (at: number) => ComparedRecord) =>
      compareWithStored(pool, upload.companyId, all, readRecord, [])
    const known = sentBy === 'program' ? { ...facts, compare } : facts
    const { parts, mapping: counted } = await planParts({ header, mapping: whole, rows }, limits, new Map(), known)
    const planned = counted ?? whole
    const stored = await changeMapping(pool, upload, { mapping: planned, parts, state: read.state })
    if (stored === null) continue
    // Perhaps no row can be applied, and they come back when they are corrected.
    await rememberMapping(pool, { ...upload, mapping: planned }, false)
    return stored
  }
  throw new RefusedByStateError(CHANGED)
}

async function sampleRows(header: readonly string[], rows: RowStore): Promise<FileSample> {
  const { sample, add } = collectSamples(header.length)
  await eachInTurns(rows, ({ cells = [] }) => add(cells))
  return sample
}

/** Collects the rows of all parts in the order of the file, without what was planned. */
async function collectRows(
  contents: AsyncIterable<string>,
  limits: { maxRecords: number; bodyLimit: number },
): Promise<RowStore> {
  const rows = new RowStore(limits)
  const numbers: number[] = []
  const add = (row: StoredRow) => {
    numbers.push(row.row)
    rows.add(withoutPlan(row))
  }
  for await (const content of contents) await eachInTurns(readContent(content), add)
  rows.arrange([...numbers.keys()].toSorted((a, b) => numbers[a]! - numbers[b]!))
  return rows
}

function withoutPlan({ plan: _plan, earlierManager: _manager, ...row }: StoredRow): StoredRow {
  return row
}
