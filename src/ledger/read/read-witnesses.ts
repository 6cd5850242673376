import { sql } from 'kysely'
import type { Pool } from 'pg'
import type { WitnessFault } from '../../domain/attention.ts'
import { fromUuid } from '../../domain/ids.ts'
import type { OnUnreachable } from '../../postgres/cluster/query-targets.ts'
import { findEverywhere, shardTargets } from '../../postgres/cluster/query-targets.ts'
import { openDatabase } from '../../postgres/kysely.ts'

/** A witness that does not cosign the checkpoints of some companies, for one kind of reason. */
interface FailingWitness {
  /** The name and the id of its key. */
  witness: string
  fault: WitnessFault
  companies: number
  /** Since when, RFC 3339 UTC. */
  since: string
  /** One of the companies, and what is wrong there. */
  company_id: string
  error: string
}

/** Reads which witnesses fail, in all companies. */
export async function readFailingWitnesses(pool: Pool, onUnreachable?: OnUnreachable): Promise<FailingWitness[]> {
  const parts = await findEverywhere(
    shardTargets(pool),
    async (target) => {
      const { rows } = await sql<FailingWitness>`
        select witness, fault, count(*)::integer as companies, min(failing_since) as since,
          min(company_id::text) as company_id, (array_agg(error order by company_id))[1] as error
        from witness_progress where fault is not null group by witness, fault`.execute(openDatabase(target.pool))
      return rows
    },
    onUnreachable,
  )
  return [...Map.groupBy(parts, ({ witness, fault }) => `${witness} ${fault}`).values()].map((same) => {
    const [first] = same.toSorted((one, other) => one.since.localeCompare(other.since))
    const companies = same.reduce((total, part) => total + part.companies, 0)
    return { ...first!, company_id: fromUuid('com', first!.company_id), companies }
  })
}
