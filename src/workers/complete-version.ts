import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import type { Projection } from '../../projections/projection.ts'
import type { LedgerTables } from '../ledger/tables.ts'

/** A version may be read when it is no further behind any head than this, in events. */
const MAX_EVENTS_BEHIND = 2_000

/**
 * Says once and for all that a version of a projection may be read, if it is so: it has caught up with every company, or
 * has got at least as far there as an older version, where a company is parked for both. Returns whether it was said now.
 */
export async function completeVersion(db: Kysely<LedgerTables>, { name, version }: Projection): Promise<boolean> {
  // The look at the heads is not taken when it is said already.
  const { numAffectedRows } = await sql`
    insert into projection_versions (projection, version, completed_at)
    select ${name}, ${version}, clock_timestamp()
    where not exists (select from projection_versions where projection = ${name} and version = ${version})
      and not exists (
        select from heads h left join checkpoints c
          on c.company_id = h.company_id and c.projection = ${name} and c.version = ${version}
        where h.position - coalesce(c.position, 0) > ${MAX_EVENTS_BEHIND} and not exists (
          select from checkpoints o where o.company_id = h.company_id and o.projection = ${name} and o.version < ${version}
          having max(o.position) <= coalesce(c.position, 0)
        ))
    on conflict do nothing`.execute(db)
  return numAffectedRows === 1n
}
