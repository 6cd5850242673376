import { sql } from 'kysely'
import type { Pool } from 'pg'
import { PROJECTIONS } from '#projections/index'
import { readCompanyStanding, type QueueDepth, type SystemHealth } from '#ledger/read/read-standings'
import type { LedgerDb, LedgerTables } from '#ledger/tables'
import { openDatabase } from '#postgres/kysely'
import type { Announcer } from './announce.ts'
import { unpark } from './checkpoints.ts'
import { workedQueueNames } from './queues.ts'

/** Creates the reports on the projections of companies. */
export function createHealth(pool: Pool, waker: Announcer): SystemHealth {
  const db = openDatabase<LedgerTables>(pool)
  return {
    report: (companyId) => Promise.all(PROJECTIONS.map((projection) => readCompanyStanding(db, companyId, projection))),

    async resume(companyId, name) {
      const projection = PROJECTIONS.find((candidate) => candidate.name === name)
      if (!projection || !(await unpark(db, projection, companyId))) return false
      waker.announce([companyId])
      return true
    },
  }
}

/** The current number of jobs in each queue that workers empty; pg-boss's own figures are up to an hour old. */
export async function readQueueDepths(db: LedgerDb): Promise<QueueDepth[]> {
  const names = workedQueueNames()
  const { rows } = await sql<QueueDepth>`
    select name, count(*) filter (where state < 'active')::integer as waiting,
      count(*) filter (where state = 'active')::integer as active
    from pgboss.job where name = any(${names}) and state < 'completed' group by name`.execute(db)
  return names.map((name) => rows.find((row) => row.name === name) ?? { name, waiting: 0, active: 0 })
}
