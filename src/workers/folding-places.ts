import type { Pool } from 'pg'
import { clusterOf, poolOfShard } from '../postgres/cluster/company-connections.ts'
import { openDatabase, openPreparedDatabase } from '../postgres/kysely.ts'
import type { LedgerDb, LedgerTables } from '../ledger/tables.ts'

/** Companies that are folded together: those of a shard, or all on plain PostgreSQL. */
export interface FoldingPlace {
  /** Connections for folding, whose statements look rows up by key. */
  foldingDb: LedgerDb
  /** Connections for looking over all companies of the place, and for nothing that has to be the latest. */
  db: LedgerDb
  /** The machine, if there are several. */
  machine: string | null
}

/** Where companies are folded. */
export interface FoldingPlaces {
  of(companyId: string): FoldingPlace
  /** All places, by machine. */
  all(): FoldingPlace[][]
}

/** Opens the places behind these pools. The statements of a fold run and commit on one machine. */
export function openFoldingPlaces(reads: Pool, folding: Pool): FoldingPlaces {
  const cluster = clusterOf(folding)
  const names = new Map<string, string>()
  if (!cluster) {
    const only = {
      foldingDb: openPreparedDatabase<LedgerTables>(folding, names),
      db: openDatabase<LedgerTables>(reads),
      machine: null,
    }
    return { of: () => only, all: () => [[only]] }
  }
  const known = new WeakMap<object, FoldingPlace>()
  const placeOf = (found: ReturnType<typeof cluster.find>): FoldingPlace => {
    const { shard, machine } = found
    const place = known.get(shard) ?? {
      foldingDb: openPreparedDatabase<LedgerTables>(poolOfShard(folding, found), names),
      db: openDatabase<LedgerTables>(poolOfShard(reads, found)),
      machine: machine.name,
    }
    known.set(shard, place)
    return place
  }
  return {
    of: (companyId) => placeOf(cluster.find(companyId)),
    all: () => [...Map.groupBy(cluster.shards().map(placeOf), ({ machine }) => machine).values()],
  }
}
