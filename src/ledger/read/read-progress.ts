import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { fromUuid, toUuid } from '../../domain/ids.ts'
import type { LedgerTables } from '../tables.ts'

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

/** How far a projection is in each of these companies; those in which it has not begun are missing. */
export async function readReached(
  db: Kysely<LedgerTables>,
  companyIds: string[],
  projection: { name: string; version: number },
): Promise<Map<string, number>> {
  const { rows } = await sql<{ company_id: string; position: number }>`
    select company_id, position from checkpoints where company_id = any(${companyIds.map(toUuid)}::uuid[])
      and projection = ${projection.name} and version = ${projection.version}`.execute(db)
  return new Map(rows.map(({ company_id: company, position }) => [fromUuid('com', company), position]))
}

/** Whether the ledger has this company. */
export async function isKnownCompany(db: Kysely<LedgerTables>, companyId: string): Promise<boolean> {
  const row = await db
    .selectFrom('heads')
    .select('company_id')
    .where('company_id', '=', toUuid(companyId))
    .executeTakeFirst()
  return row !== undefined
}

/** Whether the tables of a version of a projection may be read: they have once been filled up to the heads. */
export async function isComplete(
  db: Kysely<LedgerTables>,
  projection: { name: string; version: number },
): Promise<boolean> {
  const row = await db
    .selectFrom('projection_versions')
    .select('version')
    .where('projection', '=', projection.name)
    .where('version', '=', projection.version)
    .executeTakeFirst()
  return row !== undefined
}

/** Tells whether all of these may be read. Once that is so it stays so, and nobody is asked any more. */
export function openCompleteness(
  db: Kysely<LedgerTables>,
  projections: readonly { name: string; version: number }[],
): () => Promise<boolean> {
  let areComplete = false
  return async () => {
    if (areComplete) return true
    const each = await Promise.all(projections.map((projection) => isComplete(db, projection)))
    areComplete = each.every(Boolean)
    return areComplete
  }
}

/** How far the ledger of a company is (under `ledger`), and each of these projections by its name. */
export async function readAllProgress(
  db: Kysely<LedgerTables>,
  companyId: string,
  projections: readonly { name: string; version: number }[],
): Promise<Map<string, number>> {
  const { rows } = await sql<{ what: string; position: number }>`
    select 'ledger' as what, position from heads where company_id = ${toUuid(companyId)}
    union all
    select c.projection, c.position from checkpoints c
    join unnest(${projections.map(({ name }) => name)}::text[], ${projections.map(({ version }) => version)}::integer[]) as p(name, version)
      on p.name = c.projection and p.version = c.version
    where c.company_id = ${toUuid(companyId)}`.execute(db)
  return new Map(rows.map(({ what, position }) => [what, position]))
}
