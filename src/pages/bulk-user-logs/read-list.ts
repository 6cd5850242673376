import type { EntryCount, EntryFilter, LogEntry } from '#projections/bulk-user-logs/queries'
import { BULK_USER_LOGS, listLogEntries, readLogTime, readNewestLogPosition } from '#projections/bulk-user-logs/queries'
import { groupLogEntries } from '#projections/bulk-user-logs/group-queries'
import { EMPLOYEES } from '#projections/employees/queries'
import { readCommonProgress } from '#ledger/read/read-progress'
import { readInTime, type Reads } from '#ledger/read/reads'
import type { LedgerDb } from '#ledger/tables'
import { countInTime } from '#log/log-entries'
import { findFormerPeople, type FormerPerson } from '../parts/former-people.ts'
import { countFacets, type Facets } from './facets.ts'

/* What a page of the list shows, read from the log. */

const PAGE_ENTRIES = 50

/** Where a page of the list starts: the positions in its address. */
export interface PagePosition {
  /** Entries older than this one. */
  before: number | null
  /** Entries newer than this one. */
  after: number | null
}

/** The entries of a page. */
export interface EntryPage {
  entries: LogEntry[]
  /** The position up to which the log was read; null for a page that receives no new entries. */
  reached: number | null
  /** The positions after which the neighboring pages start; null if there is no such page. */
  newer: number | null
  older: number | null
  /** Set if the search by person ended before the page was full: the way to go on, and the time that it reached. */
  searched: { way: 'newer' | 'older'; time: string } | null
  /** The entries of all pages, if they were counted on the way. */
  counted: EntryCount | null
}

/** A page, and what is said around it. */
export interface EntryList extends EntryPage {
  /** The entries of all pages; null if they could not be counted. */
  count: EntryCount | null
  /** How many entries the values of filters find, and the sums of their counts; null if they were not counted. */
  facets: Facets | null
  /** Whether the log has no entries at all. */
  isEmpty: boolean
  /** The people whom the search finds by a former value. */
  former: FormerPerson[]
}

/** Reads what is said around a page. */
export async function readEntryList(
  db: LedgerDb,
  reads: Reads,
  companyId: string,
  filter: EntryFilter,
  page: EntryPage,
): Promise<EntryList> {
  const facets = await readFacets(reads, companyId, filter, page)
  const count = facets?.count ?? (await countEntries(reads, companyId, filter, page))
  const isEmpty = page.entries.length === 0 && (await readNewestLogPosition(db, companyId)) === 0
  const former = filter.q === undefined ? [] : await findFormerPeople(db, companyId, filter.q)
  return { ...page, count, facets, isEmpty, former }
}

/** Reads the entries of a page, and between which others they are. */
export async function readPage(
  db: LedgerDb,
  companyId: string,
  filter: EntryFilter,
  { before, after }: PagePosition,
): Promise<EntryPage> {
  const limit = PAGE_ENTRIES
  if (after !== null) {
    const { entries, next, isUnfinished } = await listLogEntries(db, companyId, filter, { after, limit })
    return {
      entries: entries.toReversed(),
      reached: null,
      newer: next,
      older: entries[0]?.position ?? after + 1,
      searched: isUnfinished ? { way: 'newer', time: await readLogTime(db, companyId, next!) } : null,
      counted: null,
    }
  }
  // Read before the entries. An entry that arrives in between is on the page and is sent again; the script skips it.
  const reached = before === null ? await readReached(db, companyId, filter) : null
  const page = { before, limit, isCounted: true }
  const { entries, next, isUnfinished, count } = await listLogEntries(db, companyId, filter, page)
  return {
    entries,
    reached,
    newer: before === null ? null : (entries[0]?.position ?? Math.max(0, before - 1)),
    older: next,
    searched: isUnfinished ? { way: 'older', time: await readLogTime(db, companyId, next!) } : null,
    counted: count,
  }
}

/** Counts the entries of all pages, as far as this page shows the log; null if that takes too long. */
async function countEntries(
  reads: Reads,
  companyId: string,
  filter: EntryFilter,
  page: EntryPage,
): Promise<EntryCount | null> {
  const shown = page.entries.length
  if (page.newer === null && page.older === null) return { count: shown, isMore: false }
  const counted = page.counted ?? (await countInTime(reads, companyId, filter, findEnd(page)))
  return counted && counted.count < shown ? { count: shown, isMore: true } : counted
}

/** Counts the entries of the values of filters, as far as this page shows the log; null for a search, or if too slow. */
async function readFacets(
  reads: Reads,
  companyId: string,
  filter: EntryFilter,
  page: EntryPage,
): Promise<Facets | null> {
  if (filter.q !== undefined || filter.employee !== undefined) return null
  const groups = await readInTime(reads, companyId, (db) => groupLogEntries(db, companyId, filter, findEnd(page)))
  return groups && countFacets(groups, filter)
}

/** The last position that a page shows, if newer entries arrive on it by themselves and are added to its counts. */
function findEnd({ entries, reached }: EntryPage): number | null {
  return reached === null ? null : Math.max(reached, entries[0]?.position ?? 0)
}

/**
 * Reads the position up to which the filter's result is complete: a search by name also needs the employees projection,
 * which may be behind.
 */
export async function readReached(db: LedgerDb, companyId: string, { employee, q }: EntryFilter): Promise<number> {
  if (employee === undefined && q === undefined) return readNewestLogPosition(db, companyId)
  return readCommonProgress(db, companyId, [BULK_USER_LOGS, EMPLOYEES])
}
