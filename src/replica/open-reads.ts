import type { Pool } from 'pg'
import type { Logger } from 'pino'
import { openDatabase } from '../postgres/kysely.ts'
import { openPool } from '../postgres/pool.ts'
import { openCompleteness } from '../ledger/read/read-progress.ts'
import type { Reads } from '../ledger/read/reads.ts'
import { primaryReads } from '../ledger/read/reads.ts'
import type { LedgerDb, LedgerTables } from '../ledger/tables.ts'
import type { ReadPlace } from './replica-reads.ts'
import { openReplicaReads } from './replica-reads.ts'
import type { ReplicaWatch } from './replica-watch.ts'
import { watchReplica } from './replica-watch.ts'

interface ReadsOptions {
  primary: { url: string; db: LedgerDb; pool: Pool }
  /** The replica's URL; undefined if there is none. */
  url: string | undefined
  /** Milliseconds by which it may lag. */
  boundMs: number
  /** The maximum number of connections to it. */
  max: number
  projections: readonly { name: string; version: number }[]
  log: Logger
  onRead(read: ReadPlace): void
  /** Called once if there is a replica. */
  onReplica(replica: { name: string; pool: Pool; watch: ReplicaWatch }): void
}

/** A replica that does not answer must not delay requests that the primary can serve. */
const CONNECT_TIMEOUT_MS = 1_000
const LOOK_TIMEOUT_MS = 1_000

/** Opens the reads of the admin and audit endpoints. */
export function openReads(options: ReadsOptions): { reads: Reads; close(): Promise<void> } {
  const { primary, url, boundMs, max, projections, log, onRead, onReplica } = options
  if (url === undefined) return { reads: primaryReads(primary), close: async () => undefined }
  const pool = openPool({
    url,
    name: 'employee-ledger reads',
    max,
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
    settings: { jit: 'off' },
  })
  const db = openDatabase<LedgerTables>(pool)
  const watching = {
    name: 'employee-ledger replica watch',
    max: 1,
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
    statementTimeoutMs: LOOK_TIMEOUT_MS,
  }
  const [ahead, behind] = [openPool({ ...watching, url: primary.url }), openPool({ ...watching, url })]
  const watch = watchReplica({
    primary: ahead,
    replica: behind,
    boundMs,
    isComplete: openCompleteness(db, projections),
    log,
  })
  onReplica({ name: new URL(url).host, pool, watch })
  return {
    reads: openReplicaReads({ primary, replica: { db, pool }, watch, projections, onRead }),
    async close() {
      await watch.stop()
      await Promise.all([ahead.end(), behind.end(), db.destroy()])
    },
  }
}
