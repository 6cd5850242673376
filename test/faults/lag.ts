import { sql } from 'kysely'
import type { Projection } from '../../projections/projection.ts'
import { toUuid } from '../../src/domain/ids.ts'
import type { LedgerDb } from '../../src/ledger/tables.ts'

/** The age in milliseconds of these companies' oldest event that a projection has not folded; 0 if there is none. */
export async function lagMs(db: LedgerDb, companyIds: string[], projections: readonly Projection[]): Promise<number> {
  const { rows } = await sql<{ lag: number | null }>`
    select max(extract(epoch from clock_timestamp() - e.recorded_at) * 1000)::float8 as lag
    from heads h cross join unnest(${projections.map(({ name }) => name)}::text[], ${projections.map(({ version }) => version)}::integer[]) as p(name, version)
    left join checkpoints c on c.company_id = h.company_id and c.projection = p.name and c.version = p.version
    join events e on e.company_id = h.company_id and e.position = coalesce(c.position, 0) + 1
    where h.company_id = any(${companyIds.map(toUuid)}::uuid[])`.execute(db)
  return Math.max(0, rows[0]?.lag ?? 0)
}

const SHOWN = 5

/** The first few of these companies that are behind, with their checkpoints, one line each. */
export async function lagging(db: LedgerDb, companyIds: string[]): Promise<string[]> {
  const { rows } = await sql<{ line: string }>`
    select format('%s version %s of %s is at %s of %s, attempts %s, next %s, parked %s: %s', c.projection, c.version, c.company_id, c.position,
      h.position, c.attempts, c.next_try_at, c.parked_at, c.error) as line
    from heads h join checkpoints c using (company_id)
    where h.company_id = any(${companyIds.map(toUuid)}::uuid[]) and c.position < h.position limit ${SHOWN}`.execute(db)
  return rows.map(({ line }) => line)
}
