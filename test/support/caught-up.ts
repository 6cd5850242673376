import type { Pool } from 'pg'
import { PROJECTIONS } from '../../projections/index.ts'

/** Whether these projections have folded all events of every company. */
export async function isCaughtUp(pool: Pool, projections: readonly { name: string }[] = PROJECTIONS): Promise<boolean> {
  const { rows } = await pool.query(
    `select 1 from heads h cross join unnest($1::text[]) as p(name)
     left join checkpoints c on c.company_id = h.company_id and c.projection = p.name
     where h.position > coalesce(c.position, 0)`,
    [projections.map(({ name }) => name)],
  )
  return rows.length === 0
}
