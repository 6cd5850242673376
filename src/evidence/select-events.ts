import { sql } from 'kysely'
import type { Pool } from 'pg'
import { ERASING_TYPES, EVENT_TYPES, isEventType } from '#domain/event-types'
import { toUuid } from '#domain/ids'
import { parseJson } from '#domain/json'
import { findPerson, findTraces } from '#personal-data/find-person'
import { findLastPositionBefore, findPositionsOfCall } from '#ledger/read/read-head'
import { storedEventPages, type PositionRange } from '#ledger/read/read-events'
import type { LedgerDb } from '#ledger/tables'
import { NoEvidenceError, type EvidenceSubject } from '#ledger/evidence/evidence-subject'

/** The most separate ranges of positions in a file: each takes a few look-ups. */
const MAX_RANGES = 100_000
/** Positions or calls in one statement. */
const AT_ONCE = 1_000

/**
 * Selects the events of an evidence file among the first `size` of a ledger, in order: those of the subject, and the
 * events that record the erasure of any of them, so that missing data are explained. Throws NoEvidenceError.
 */
export async function selectEvents(
  { db, pool }: { db: LedgerDb; pool: Pool },
  companyId: string,
  subject: EvidenceSubject,
  size: number,
) {
  const ranges = await selectSubject({ db, pool }, companyId, subject, size)
  const erasures = await findErasuresOf(db, companyId, ranges, size)
  return mergeRanges([...ranges, ...erasures.map((position) => ({ first: position, last: position }))])
}

/** The number of positions in ranges. */
export function countPositions(ranges: readonly PositionRange[]) {
  return ranges.reduce((count, { first, last }) => count + last - first + 1, 0)
}

async function selectSubject(
  { db, pool }: { db: LedgerDb; pool: Pool },
  companyId: string,
  subject: EvidenceSubject,
  size: number,
) {
  if (subject.kind === 'employee') return selectEmployee({ db, pool }, companyId, subject.id, size)
  if (subject.kind === 'call') {
    const range = await findPositionsOfCall(db, companyId, size, subject.id)
    if (!range) throw new NoEvidenceError('unknown-call', 'No call has this id')
    return mergeRanges([
      range,
      ...(await findStreamAfter(db, companyId, subject.id, { after: range.last, upTo: size })),
    ])
  }
  const lastBefore = (time: string) => findLastPositionBefore(db, companyId, size, time, { inclusive: false })
  const first = subject.from === null ? 1 : (await lastBefore(subject.from)) + 1
  const last = subject.to === null ? size : await lastBefore(subject.to)
  if (first > last) throw new NoEvidenceError('empty-period', 'Nothing was recorded in this period')
  return [{ first, last }]
}

/** The positions of the events of a stream after a position. */
async function findStreamAfter(
  db: LedgerDb,
  companyId: string,
  stream: string,
  range: { after: number; upTo: number },
) {
  const ranges: PositionRange[] = []
  for await (const page of storedEventPages(db, companyId, { ...range, stream })) {
    for (const { position } of page) ranges.push({ first: position, last: position })
  }
  return ranges
}

/**
 * Selects an employee's own events, the refused records and uploaded files that mention them or did so before they were
 * erased, and the ends of the calls of all of these.
 */
async function selectEmployee(
  { db, pool }: { db: LedgerDb; pool: Pool },
  companyId: string,
  employeeId: string,
  size: number,
) {
  const positions = new Set<number>()
  const add = (more: readonly number[]) => {
    for (const position of more) if (position <= size) positions.add(position)
    if (positions.size > MAX_RANGES) throw makeTooScatteredError()
  }
  for await (const page of storedEventPages(db, companyId, { after: 0, upTo: size, stream: employeeId })) {
    // An id of another kind can have the same number.
    if (!page.every(({ type }) => isEventType(type) && EVENT_TYPES[type].stream === 'emp')) break
    add(page.map(({ position }) => position))
    for (const { type, data } of page) if (type === 'EmployeeErased') add(readErasedPositions(data))
  }
  if (positions.size === 0) throw new NoEvidenceError('unknown-employee', 'No employee has this id')
  const named = { by: 'id', value: employeeId } as const
  const { events } = await findTraces(pool, await findPerson(pool, companyId, named), named, 0)
  add([...events.refused_records, ...events.uploaded_files].map(({ position }) => position))
  add(await findEndsOfCalls(db, companyId, [...positions]))
  return mergeRanges([...positions].map((position) => ({ first: position, last: position })))
}

/** The positions of the closing events of the calls that events belong to. */
async function findEndsOfCalls(db: LedgerDb, companyId: string, positions: readonly number[]) {
  const ends: number[] = []
  for (let at = 0; at < positions.length; at += AT_ONCE) {
    // Only the name of an uploaded file comes after the closing event in the stream of a call.
    const { rows } = await sql<{ position: number }>`
      select closing.position from (
        select distinct call_id from events where company_id = ${toUuid(companyId)}
          and position = any(${positions.slice(at, at + AT_ONCE)}::bigint[]) and call_id is not null
      ) calls cross join lateral (
        select position from events where company_id = ${toUuid(companyId)} and stream_id = calls.call_id
          and type in ('ApiCallCompleted', 'ApiCallFailed')
        order by stream_version desc limit 1
      ) closing`.execute(db)
    for (const { position } of rows) ends.push(position)
  }
  return ends
}

/** The positions of the events that erased data of events in these ranges. */
async function findErasuresOf(db: LedgerDb, companyId: string, ranges: readonly PositionRange[], size: number) {
  const erasures: number[] = []
  const from = ranges[0]!.first
  for await (const page of storedEventPages(db, companyId, { after: from, upTo: size, types: ERASING_TYPES })) {
    for (const { position, data } of page) {
      if (readErasedPositions(data).some((named) => isInRanges(named, ranges))) erasures.push(position)
    }
    if (erasures.length > MAX_RANGES) throw makeTooScatteredError()
  }
  return erasures
}

function readErasedPositions(data: string | null) {
  return data === null ? [] : ((parseJson(data) as { positions?: number[] }).positions ?? [])
}

/** Whether a position is in one of these ranges, which are in order. */
function isInRanges(position: number, ranges: readonly PositionRange[]) {
  let [low, high] = [0, ranges.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (ranges[middle]!.last < position) low = middle + 1
    else high = middle
  }
  return low < ranges.length && ranges[low]!.first <= position
}

/** Sorts ranges, and joins those that touch or overlap. */
function mergeRanges(ranges: readonly PositionRange[]) {
  const merged: PositionRange[] = []
  for (const { first, last } of ranges.toSorted((a, b) => a.first - b.first)) {
    const before = merged.at(-1)
    if (before && first <= before.last + 1) before.last = Math.max(before.last, last)
    else merged.push({ first, last })
  }
  return merged
}

function makeTooScatteredError() {
  return new NoEvidenceError(
    'too-scattered',
    `An evidence file has at most ${MAX_RANGES} separate parts of a ledger. Choose a period instead`,
  )
}
