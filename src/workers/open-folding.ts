import type { Pool } from 'pg'
import { clusterOf, poolOfShard } from '../postgres/cluster/company-connections.ts'
import { openPreparedDatabase } from '../postgres/kysely.ts'
import type { LedgerDb, LedgerTables } from '../ledger/tables.ts'

/**
 * Finds the connections that fold a company. Companies with the same ones may share a transaction: those of a shard, or
 * all on plain PostgreSQL. So a fold runs and commits on one machine.
 */
export function openFolding(folding: Pool): (companyId: string) => LedgerDb {
  const cluster = clusterOf(folding)
  const names = new Map<string, string>()
  if (!cluster) {
    const only = openPreparedDatabase<LedgerTables>(folding, names)
    return () => only
  }
  const databases = new WeakMap<object, LedgerDb>()
  return (companyId) => {
    const place = cluster.find(companyId)
    const db = databases.get(place.shard) ?? openPreparedDatabase<LedgerTables>(poolOfShard(folding, place), names)
    databases.set(place.shard, db)
    return db
  }
}
