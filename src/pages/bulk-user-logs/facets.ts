import type { EntryGroup, EntryGroups } from '#projections/bulk-user-logs/usage-queries'
import type { EntryCount, EntryFilter, ValueFilter } from '#projections/bulk-user-logs/queries'
import { formatAtLeast } from '#wording/numbers'

/** The filters whose values have counts. */
export type Facet = keyof ValueFilter
const FACETS = Object.keys({
  ...{ status: true, operation: true, source: true, key: true, error: true, http_status: true },
} satisfies Record<Facet, true>) as Facet[]

/** How many entries each value of a filter would find, beside the other filters. */
export interface Facets {
  /** By value; the sum of all is that of the empty value. */
  counts: Record<Facet, ReadonlyMap<string, number>>
  /** The entries that match; null if a filter may find most of them among those that are not grouped. */
  count: EntryCount | null
  /** The sums of their counts, as far as they are grouped. */
  totals: EntryGroup['counts']
  isMore: boolean
}

/** Counts the values of each filter among groups of entries. */
export function countFacets({ groups, isMore }: EntryGroups, filter: EntryFilter) {
  const matches = (group: EntryGroup, except?: Facet) =>
    FACETS.every((facet) => facet === except || filter[facet] === undefined || filter[facet] === group[facet])
  const countBy = (facet: Facet) => {
    const counts = new Map([['', 0]])
    for (const group of groups.filter((candidate) => matches(candidate, facet)))
      for (const value of ['', group[facet]])
        if (value !== null) counts.set(String(value), (counts.get(String(value)) ?? 0) + group.entries)
    return counts
  }
  const totals = { total: 0, updated: 0, deactivated: 0, failed: 0, no_updates: 0 }
  const matching = groups.filter((group) => matches(group))
  const count = matching.reduce((sum, group) => sum + group.entries, 0)
  const isNarrowed = FACETS.some((facet) => filter[facet] !== undefined)
  for (const { counts } of matching)
    for (const name of Object.keys(totals) as (keyof typeof totals)[]) totals[name] += counts[name]
  const counts = Object.fromEntries(FACETS.map((facet) => [facet, countBy(facet)])) as Record<
    Facet,
    Map<string, number>
  >
  return { counts, count: isMore && isNarrowed ? null : { count, isMore }, totals, isMore }
}

/** Formats the count of a value, such as `1,204`; empty if it was not counted. */
export function formatFacet(facets: Facets | null, facet: Facet, value: string): string {
  if (facets === null) return ''
  return formatAtLeast(facets.counts[facet].get(value) ?? 0, facets.isMore)
}
