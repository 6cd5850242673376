import { sql } from 'kysely'
import type { Projection } from '#projections/projection'
import { headsWithCheckpoints, isComplete } from '#ledger/read/read-progress'
import type { LedgerDb } from '#ledger/tables'

/** The age in seconds up to which unfolded events are tolerated: under load, there are always some. */
const MAX_SECONDS_BEHIND = 10

/**
 * Marks a version of a projection as readable once it qualifies: in every company, it has reached the position of an
 * older version (which may be parked), or its unfolded events are recent. `completed`: this call marked it.
 */
export async function completeVersion(
  db: LedgerDb,
  { name, version }: Projection,
): Promise<'completed' | 'complete' | 'behind'> {
  if (await isComplete(db, { name, version })) return 'complete'
  const older = sql`select 1 from checkpoints o
    where o.company_id = h.company_id and o.projection = ${name} and o.version < ${version}`
  const { rows: behind } = await sql`
    select 1 from ${headsWithCheckpoints({ name, version })}
    where h.position > coalesce(c.position, 0)
      and (not exists (${older}) or exists (${older} and o.position > coalesce(c.position, 0)))
      and not exists (
        select 1 from events e where e.company_id = h.company_id and e.position = coalesce(c.position, 0) + 1
          and e.recorded_at > clock_timestamp() - make_interval(secs => ${MAX_SECONDS_BEHIND}))
    limit 1`.execute(db)
  if (behind.length > 0) return 'behind'
  const { numAffectedRows } = await sql`insert into projection_versions (projection, version, completed_at)
    values (${name}, ${version}, clock_timestamp()) on conflict do nothing`.execute(db)
  return numAffectedRows === 1n ? 'completed' : 'complete'
}
