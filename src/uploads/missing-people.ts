import { createsAll } from '#domain/operations'
import type { Pool } from 'pg'
import { inTurns } from '#admission/turns'
import { findWhyPartial, NamedPeople } from '#spreadsheets/rows/named-people'
import { readEmployeePage, readPages } from '#projections/employees/queries'
import { RefusedByStateError } from '#accounts/change-company'
import { problem } from '#domain/errors'
import { NOBODY } from '#domain/calls/uniqueness'
import type { Employee } from '#domain/employees/employee'
import { countEffects, isApplicable, type StoredRow } from '#domain/uploads'
import { loadEmployees } from '#ledger/read/read-employees'
import { readRowsToPlan } from '#ledger/uploads/change-upload'
import { removeMissingParts, setMissingParts, type MissingPart } from '#ledger/uploads/missing-parts'
import { findOriginal } from '#ledger/uploads/store-upload'
import {
  type StoredPart,
  type StoredUpload,
  findUpload,
  readContent,
  readParts,
  readRows,
  writeContent,
  writeStoredRow,
} from '#ledger/uploads/read-uploads'
import { readWholeFile } from './map-upload.ts'
import { openKeys } from './plan-parts.ts'
import { MAX_PARTS } from './row-store.ts'
import { previewPart } from './run-part.ts'
import type { UploadRouteServices } from './store-file.ts'

/** The active people who are not in a file, which deactivates them after its rows. */
export interface MissingPeople {
  /** How many they are. */
  count: number
  /** How many people were active when they were listed. */
  active: number
}

/** The share of the active people up to which those who leave in a day are usual. */
const USUAL_SHARE = 0.1

/** How many people may be deactivated in other ways on the same day, so that all of them are still usual; below 0: none. */
export function roomBeside({ count, active }: MissingPeople): number {
  return Math.floor(USUAL_SHARE * active) - count
}

/** The people whom a file deactivates because they are not in it. */
export function findMissing(parts: readonly StoredPart[]): MissingPeople {
  const missing = parts.filter(({ missingOf }) => missingOf !== null)
  const count = missing.reduce((sum, { rows, erased }) => sum + rows - erased, 0)
  return { count, active: missing[0]?.missingOf ?? 0 }
}

type UploadRef = Pick<StoredUpload, 'companyId' | 'id'>

/**
 * Lists the active people who are not in a file, as of the last commit, and lets the file deactivate them after its rows,
 * in calls of their own; again, if it was to do so before. Throws RefusedByStateError with `upload_not_applicable` if the
 * file cannot tell who is missing, and NoTurnError.
 */
export async function listMissing(
  services: UploadRouteServices,
  upload: UploadRef,
  signal?: AbortSignal,
): Promise<MissingPeople> {
  const until = performance.now() + services.commands.maxWaitMs
  return readWholeFile(upload.companyId, until, () => list(services, upload, signal))
}

/**
 * Lets a file deactivate nobody who is not in it. Throws RefusedByStateError with `upload_not_applicable` once it is
 * applied.
 */
export async function keepMissing({ pool }: Pick<UploadRouteServices, 'pool'>, upload: StoredUpload): Promise<void> {
  if (!(await removeMissingParts(pool, upload)))
    throw new RefusedByStateError(problem('upload_not_applicable', 'The file is not previewed yet, or being applied'))
}

async function list(services: UploadRouteServices, ref: UploadRef, signal?: AbortSignal) {
  const { pool, commands } = services
  const read = await readRowsToPlan(pool, ref)
  // Only now: another mapping comes with other rows, and these are compared below.
  const upload = await findUpload(pool, ref.companyId, ref.id)
  if (!read || !upload) throw refuse('It is being applied already')
  await assertWhole(services, upload)
  const named = await readNamed(upload, read.contents, signal)
  const { ids, active } = await findActive(services, upload, named, signal)
  const parts: MissingPart[] = []
  for (let at = 0; at < ids.length; at += commands.maxRecords)
    parts.push(makePart(ids.slice(at, at + commands.maxRecords), upload.rows + at, commands.newId('log')))
  if (!(await setMissingParts(pool, upload, { parts, active, state: read.state })))
    throw refuse('The file has changed meanwhile. Try again')
  return { count: ids.length, active }
}

/** Refuses a file in which people may not be recognized who are in it. */
async function assertWhole(services: UploadRouteServices, upload: StoredUpload): Promise<void> {
  const { pool } = services
  if (upload.state !== 'previewed') throw refuse('The preview is not complete yet, or the file is being applied')
  if (createsAll(upload.operation)) throw refuse('The file only creates people, so nobody else is expected in it')
  if (upload.corrects.length > 0) throw refuse('The file corrects some records, so nobody else is expected in it')
  // An erasure deletes it, whoever the file mentions.
  const original = await findOriginal(pool, upload)
  const parts = (await readParts(pool, upload)).filter(({ missingOf }) => missingOf === null)
  if (!original) throw refuse('Some of it may have been erased since it was uploaded. Upload the file again')
  const partial = findWhyPartial(original.notes?.leftOut ?? [])
  if (partial !== null) throw refuse(partial)
  for (const part of parts)
    if (!isApplicable(part.counts ?? (await previewPart(services, upload, part)).counts))
      throw refuse('It has rows that are refused or cannot be read, and the people in them may not be recognized')
}

async function readNamed(upload: StoredUpload, contents: AsyncIterable<string>, signal?: AbortSignal) {
  const named = new NamedPeople()
  const readKeys = openKeys(upload.header, upload.mapping)
  for await (const content of contents)
    for await (const row of inTurns(readContent(content), signal))
      if (!named.add(readKeys(row))) throw refuse(`Row ${row.row} has no id, external_id, or email`)
  return named
}

/** How many people are compared at once. */
const AT_ONCE = 500

/**
 * Finds the active people who are not named, and how many are active. The read model finds those who may be missing, and
 * the ledger says whether they are.
 */
async function findActive(
  { db, pool, commands }: UploadRouteServices,
  { companyId }: StoredUpload,
  named: NamedPeople,
  signal?: AbortSignal,
): Promise<{ ids: string[]; active: number }> {
  const isMissing = (employee: Employee) => employee.status === 'active' && !named.has(employee)
  const ids: string[] = []
  let active = 0
  const pages = readPages((place) => readEmployeePage(db, companyId, { status: 'active' }, place), AT_ONCE)
  for await (const page of pages) {
    signal?.throwIfAborted()
    const candidates = page.filter(isMissing).map(({ id }) => id)
    active += page.length
    for (const employee of await loadInOrder(pool, companyId, candidates))
      if (isMissing(employee)) ids.push(employee.id)
    if (ids.length > MAX_PARTS * commands.maxRecords)
      throw refuse(`More than ${MAX_PARTS * commands.maxRecords} people are not in it`)
  }
  return { ids, active }
}

/** `before` is the number of rows before it. */
function makePart(ids: readonly string[], before: number, callId: string): MissingPart {
  const rows = ids.map((id, at) => writeStoredRow({ row: before + at + 1, record: { id, status: 'inactive' } }))
  const counts = { ...countEffects([], 0, false), changed: ids.length }
  return { firstRow: before + 1, rows: ids.length, content: Buffer.from(writeContent(rows)), callId, counts }
}

/**
 * Reads a page of the people who are not in a file, with their names of now. Erased people are left out. `after` is the
 * number of the row behind which it begins; `next` that of its last row, if another page follows.
 */
export async function readMissing(
  { pool }: Pick<UploadRouteServices, 'pool'>,
  upload: StoredUpload,
  parts: readonly StoredPart[],
  { after, limit }: { after: number; limit: number },
): Promise<{ employees: Employee[]; next: number | null }> {
  const rows: StoredRow[] = []
  for (const part of parts) {
    const isNeeded = part.missingOf !== null && part.firstRow + part.rows > after && rows.length <= limit
    if (isNeeded) for (const row of await readRows(pool, upload, part.number)) if (row.row > after) rows.push(row)
  }
  const shown = rows.slice(0, limit)
  const ids = shown.map(({ record }) => (record as { id: string }).id)
  const employees = await loadInOrder(pool, upload.companyId, ids)
  return { employees, next: rows.length > limit ? shown.at(-1)!.row : null }
}

async function loadInOrder(pool: Pool, companyId: string, employeeIds: string[]): Promise<Employee[]> {
  if (employeeIds.length === 0) return []
  const found = await loadEmployees(pool, [{ companyId, naming: { ...NOBODY, employeeIds } }])
  const byId = new Map(found.map(({ employee }) => [employee.id, employee]))
  return employeeIds.map((id) => byId.get(id)).filter((employee) => employee !== undefined)
}

function refuse(detail: string): RefusedByStateError {
  return new RefusedByStateError(
    problem('upload_not_applicable', `Nobody can tell who is missing in the file. ${detail}`),
  )
}
