import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { toUuid } from '../domain/ids.ts'
import type { LedgerTables } from './tables.ts'

/** How far a company's ledger is, and how much of it a projection has folded. Positions, from 1; 0 is nothing. */
export async function readProgress(
  db: Kysely<LedgerTables>,
  companyId: string,
  projection: { name: string; version: number },
): Promise<{ head: number; reached: number }> {
  const { rows } = await sql<{ head: number; reached: number }>`
    select h.position as head, coalesce(c.position, 0) as reached from heads h
    left join checkpoints c on c.company_id = h.company_id
      and c.projection = ${projection.name} and c.version = ${projection.version}
    where h.company_id = ${toUuid(companyId)}`.execute(db)
  return rows[0] ?? { head: 0, reached: 0 }
}
