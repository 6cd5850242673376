import type { Pool } from 'pg'
import { createBudget } from '#admission/budget'
import { gatherCompanies } from '#admission/contended'
import { pipeline } from '#postgres/pipeline'
import { retryOnce } from '#postgres/database-errors'
import { withClient, type QueryClient } from '#postgres/pool'

const MAX_SHARED = 500
const MAX_WAITING = 10_000
const MAX_WAIT_MS = 10_000
/** Bounds of a batch of look-ups, or of counts. */
export const LOOKUP_BATCH = { maxWeight: MAX_SHARED, weightOf: () => 1, maxWaitMs: MAX_WAIT_MS }
/** Bounds of the look-ups, or counts, that are taken on. Beyond a quarter of them, one holder must wait. */
export const LOOKUP_BUDGET = { total: MAX_WAITING, maxWaiting: MAX_WAITING, maxWaitMs: MAX_WAIT_MS }

interface LookupOptions<Wanted, Found> {
  /** Holders take turns. */
  holderOf(wanted: Wanted): string
  /** Finds what is wanted, in one statement: an answer for each, in order. */
  find(client: QueryClient, wanted: Wanted[]): Promise<(Found | null)[]>
}

/**
 * Looks up by key, in one statement for all look-ups that arrive together, of at most so many companies. Caches nothing.
 */
export function createSharedLookup<Wanted extends { companyId: string }, Found>(
  pool: Pool,
  companiesTogether: number,
  { holderOf, find }: LookupOptions<Wanted, Found>,
): (wanted: Wanted) => Promise<Found | null> {
  const room = createBudget(LOOKUP_BUDGET)
  const submit = gatherCompanies<Wanted, Found | null>(
    (batch) => retryOnce(() => withClient(pool, (client) => pipeline(client, (pipe) => find(pipe, batch)))),
    { ...LOOKUP_BATCH, holderOf },
    companiesTogether,
  )
  return (wanted) => room.hold(holderOf(wanted), 1, undefined, () => submit(wanted))
}
