import { sql, type RawBuilder } from 'kysely'

/* Which entries a search reads, in which order, and how far. */

type Condition = RawBuilder<unknown>

/** The order in which entries are read. */
interface Direction {
  order: Condition
  /** The comparison for “later in that order”. */
  isBeyond: Condition
  /** The comparison for “equal or earlier in that order”. */
  isUpTo: Condition
  compare(a: number, b: number): number
}

export const NEWEST_FIRST: Direction = {
  order: sql`desc`,
  isBeyond: sql`<`,
  isUpTo: sql`>=`,
  compare: (a, b) => b - a,
}
export const OLDEST_FIRST: Direction = {
  order: sql`asc`,
  isBeyond: sql`>`,
  isUpTo: sql`<=`,
  compare: (a, b) => a - b,
}

/** The entries to search. */
export interface Search {
  /** The condition on a position. */
  isBetween(position: Condition): Condition
  /** The condition on an entry `e`. */
  isWanted: Condition
  /** Whether wanted entries can have events of employees. */
  hasChanges: boolean
  /** Whether wanted entries can have records that changed nothing. */
  hasUnchanged: boolean
  direction: Direction
  /** The number of entries that are enough. */
  limit: number
  /** The maximum number of entries to find, where further ones cost little: at least `limit`. */
  countTo: number
  /** The number of records after which the search ends. An entry counts as a few more. */
  budget: number
}

export interface Found {
  /** The positions of the first entries found, in order. */
  positions: number[]
  /** The position up to which entries were searched, if there may be others beyond it; null if all were searched. */
  searchedTo: number | null
}

/** What an entry counts for beside its records. */
export const ENTRY_COST = 10

/** Leaves out what was found beyond the position up to which everything was searched: there may be more in between. */
export function endAt(searchedTo: number | null, positions: number[], { compare }: Direction): Found {
  if (searchedTo === null) return { positions, searchedTo }
  return { positions: positions.filter((position) => compare(position, searchedTo) <= 0), searchedTo }
}

/** Narrows a search down to positions that also fulfil a condition. */
export function within(search: Search, isWithin: (position: Condition) => Condition): Search {
  return { ...search, isBetween: (position) => sql`${search.isBetween(position)} and ${isWithin(position)}` }
}
