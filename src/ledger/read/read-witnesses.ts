import { sql } from 'kysely'
import type { Pool } from 'pg'
import type { WitnessFault } from '#domain/attention'
import { fromUuid } from '#domain/ids'
import { openDatabase } from '#postgres/kysely'

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
export async function readFailingWitnesses(pool: Pool): Promise<FailingWitness[]> {
  const { rows } = await sql<FailingWitness>`
    select witness, fault, count(*)::integer as companies, min(failing_since) as since,
      (array_agg(company_id::text order by failing_since))[1] as company_id,
      (array_agg(error order by failing_since))[1] as error
    from witness_progress where fault is not null group by witness, fault`.execute(openDatabase(pool))
  return rows.map((row) => ({ ...row, company_id: fromUuid('com', row.company_id) }))
}
