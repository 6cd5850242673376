import { deriveEnvelope, type StoredEvent } from '../integrity/codec.ts'
import { ERASING_TYPES } from '#domain/event-types'
import { findHead } from './read-head.ts'
import { storedEventPages } from './read-events.ts'
import type { LedgerDb } from '../tables.ts'

/**
 * A line of the proof format, including its line feed: `{envelope, data, salt}` in this order, as written by
 * `JSON.stringify`, with the salt in lower-case hexadecimal. This makes the export of a ledger unique, byte for byte.
 */
export function formatProofLine(event: StoredEvent): string {
  const { data, salt } = event
  return `${JSON.stringify({ envelope: deriveEnvelope(event), data, salt: salt?.toString('hex') ?? null })}\n`
}

/** How often an export continues to a new head because data was erased meanwhile. */
const MAX_ROUNDS = 100

/** Erasures keep overtaking the export, so that it never reaches an end that explains all missing data. */
export class ExportOvertakenError extends Error {
  override name = 'ExportOvertakenError'
}

/** An event of the ledger is missing. */
export class MissingEventError extends Error {
  override name = 'MissingEventError'
  readonly position: number

  constructor(position: number, companyId: string) {
    super(`the event at position ${position} of ${companyId} is missing`)
    this.position = position
  }
}

interface ExportRange {
  after: number
  /** The head, which is always the end of a call. */
  upTo: number
  /** Returns the head to continue to; by default it is read from the ledger. */
  moveEnd?: () => Promise<number>
  /** The maximum number of events per page; by default that of `storedEventPages`. */
  pageEvents?: number | undefined
  maxRounds?: number
}

/**
 * Exports the ledger after a position, page by page. Events never change, so the pages need no common snapshot, but
 * data may be erased during the export. The event that explains the erasure is then beyond `upTo`, and the export would
 * be missing data without a reason. In that case, it continues to the new head. Throws MissingEventError or
 * ExportOvertakenError.
 */
export async function* exportPages(
  db: LedgerDb,
  companyId: string,
  { after, upTo, moveEnd, pageEvents, maxRounds = MAX_ROUNDS }: ExportRange,
): AsyncGenerator<StoredEvent[]> {
  let [reached, end] = [after, upTo]
  for (let round = 0; round < maxRounds; round += 1) {
    for await (const page of storedEventPages(db, companyId, { after: reached, upTo: end, pageEvents })) {
      assertNoGap(page, reached, companyId)
      reached = page.at(-1)!.position
      yield page
    }
    if (reached < end) throw new MissingEventError(reached + 1, companyId)
    const head = await readHeadPosition(db, companyId)
    if (!(await hasErasure(db, companyId, { after: end, upTo: head }))) return
    end = moveEnd ? await moveEnd() : head
  }
  throw new ExportOvertakenError(
    `data of ${companyId} was erased ${maxRounds} times during the export: try again later`,
  )
}

async function readHeadPosition(db: LedgerDb, companyId: string) {
  return (await findHead(db, companyId))?.position ?? 0
}

/** Whether data of the company were erased by an event in a range of positions. */
export async function hasErasure(
  db: LedgerDb,
  companyId: string,
  range: { after: number; upTo: number },
): Promise<boolean> {
  const erasures = storedEventPages(db, companyId, { ...range, types: ERASING_TYPES }, 1)
  return !(await erasures.next()).done
}

/** Throws MissingEventError unless a page continues after a position without a gap. */
export function assertNoGap(page: readonly StoredEvent[], after: number, companyId: string): void {
  const gap = page.findIndex(({ position }, at) => position !== after + at + 1)
  if (gap >= 0) throw new MissingEventError(after + gap + 1, companyId)
}
