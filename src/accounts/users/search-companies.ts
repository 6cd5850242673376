import type { Pool } from 'pg'
import type { LedgerDb } from '../../ledger/tables.ts'
import { findEverywhere, leaveOutUnreachable, shardTargets } from '../../postgres/cluster/query-targets.ts'
import { openDatabase } from '../../postgres/kysely.ts'

/** What a search through the companies found. */
interface Found<Row> {
  rows: Row[]
  /** Why the companies of a database machine are missing; null if none are. */
  failure: unknown
}

/**
 * Looks for rows in all companies, or in some. Leaves out the companies of database machines that do not answer; a
 * caller who finds nothing must not conclude that there is nothing.
 */
export async function searchCompanies<Row>(
  pool: Pool,
  companyIds: string[] | null,
  find: (db: LedgerDb) => Promise<Row[]>,
): Promise<Found<Row>> {
  let failure: unknown = null
  const rows = await findEverywhere(
    shardTargets(pool, companyIds ?? undefined),
    (target) => find(openDatabase(target.pool)),
    (machine, error) => {
      leaveOutUnreachable(machine, error)
      failure = error
    },
  )
  return { rows, failure }
}
