import type { Kysely } from 'kysely'
import { ERASING_TYPES } from '../../domain/erasure.ts'
import { findHead } from './read-head.ts'
import type { StoredEvent } from './read-stored-events.ts'
import { storedEventPages } from './read-stored-events.ts'
import type { LedgerTables } from '../tables.ts'

/** How often an export goes on to a new head because data were erased while it was read. */
const MAX_ROUNDS = 100

/** So much is erased, again and again, that no export comes to an end which explains all that is missing in it. */
export class ExportOvertakenError extends Error {
  override name = 'ExportOvertakenError'
}

export interface ExportRange {
  after: number
  /** The head: the end of a call. */
  upTo: number
  /** Asked where the head is now, when the export has to go on to it. Without it, the ledger itself is asked. */
  moveEnd?: () => Promise<number>
  /** Of one page at most; without it, as many as `storedEventPages` has. */
  pageEvents?: number | undefined
  maxRounds?: number
}

/**
 * The whole ledger behind a position, in pages: events never change, so nothing has to hold the pages together, but their
 * data may be erased while they are read. The event that says so then stands behind the head that was fixed at the start;
 * without it the export would have lost data that nothing explains. So it goes on, up to the head as it is by then.
 * Throws when an event is missing, or ExportOvertakenError.
 */
export async function* exportPages(
  db: Kysely<LedgerTables>,
  companyId: string,
  { after, upTo, moveEnd, pageEvents, maxRounds = MAX_ROUNDS }: ExportRange,
): AsyncGenerator<StoredEvent[]> {
  let [reached, end] = [after, upTo]
  for (let round = 0; round < maxRounds; round += 1) {
    for await (const page of storedEventPages(db, companyId, { after: reached, upTo: end, pageEvents })) {
      assertContiguous(page, reached, companyId)
      reached = page.at(-1)!.position
      yield page
    }
    if (reached < end) throw missing(reached + 1, companyId)
    const head = await readHeadPosition(db, companyId)
    if (!(await hasErasure(db, companyId, { after: end, upTo: head }))) return
    end = moveEnd ? await moveEnd() : head
  }
  throw new ExportOvertakenError(
    `data of ${companyId} were erased ${maxRounds} times while they were exported: try again later`,
  )
}

async function readHeadPosition(db: Kysely<LedgerTables>, companyId: string): Promise<number> {
  return (await findHead(db, companyId))?.position ?? 0
}

async function hasErasure(
  db: Kysely<LedgerTables>,
  companyId: string,
  range: { after: number; upTo: number },
): Promise<boolean> {
  const found = storedEventPages(db, companyId, { ...range, types: ERASING_TYPES }, 1)
  return !(await found.next()).done
}

function assertContiguous(page: readonly StoredEvent[], after: number, companyId: string): void {
  const gap = page.findIndex(({ position }, at) => position !== after + at + 1)
  if (gap >= 0) throw missing(after + gap + 1, companyId)
}

function missing(position: number, companyId: string): Error {
  return new Error(`the event at position ${position} of ${companyId} is missing`)
}
