import { sql } from 'kysely'
import { PROJECTIONS } from '../../projections/index.ts'
import type { Projection } from '../../projections/projection.ts'
import { toUuid } from '../../src/domain/ids.ts'
import type { LedgerDb } from '../../src/ledger/tables.ts'

interface Folded {
  /** All of them by default. */
  companyIds?: string[]
  projections?: readonly Pick<Projection, 'name' | 'version'>[]
}

/** Whether these projections have folded every event of these companies. */
export async function isCaughtUp(
  db: LedgerDb,
  { companyIds, projections = PROJECTIONS }: Folded = {},
): Promise<boolean> {
  const isWanted = companyIds ? sql`h.company_id = any(${companyIds.map(toUuid)}::uuid[])` : sql`true`
  const { rows } = await sql`
    select 1
    from heads h cross join unnest(${projections.map(({ name }) => name)}::text[], ${projections.map(({ version }) => version)}::integer[]) as p(name, version)
    left join checkpoints c on c.company_id = h.company_id and c.projection = p.name and c.version = p.version
    where ${isWanted} and coalesce(c.position, 0) < h.position`.execute(db)
  return rows.length === 0
}
