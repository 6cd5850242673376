import { sql, type RawBuilder } from 'kysely'
import { fromUuid, toUuid } from '#domain/ids'
import { outsideCompany } from '#postgres/company-scope'
import type { LedgerDb, Row } from '../tables.ts'

/**
 * The head of a company, and the position up to which a projection has folded. Positions start at 1; 0 means nothing.
 */
export async function readProgress(
  db: LedgerDb,
  companyId: string,
  projection: { name: string; version: number },
): Promise<{ head: number; reached: number }> {
  const { rows } = await sql<{ head: number; reached: number }>`
    select h.position as head, coalesce(c.position, 0) as reached from ${headsWithCheckpoints(projection)}
    where h.company_id = ${toUuid(companyId)}`.execute(db)
  return rows[0] ?? { head: 0, reached: 0 }
}

/** The position up to which all of these projections have folded a company's events. */
export async function readCommonProgress(
  db: LedgerDb,
  companyId: string,
  projections: readonly { name: string; version: number }[],
): Promise<number> {
  const { rows } = await sql<{ reached: number }>`
    select coalesce(min(coalesce(c.position, 0)), 0)::bigint as reached
    from unnest(${projections.map(({ name }) => name)}::text[], ${projections.map(({ version }) => version)}::integer[])
        as p (name, version)
      left join checkpoints c on c.company_id = ${toUuid(companyId)} and c.projection = p.name
        and c.version = p.version`.execute(db)
  return rows[0]!.reached
}

/** The heads `h`, each joined with the checkpoint `c` of a projection if it has one. */
export function headsWithCheckpoints({ name, version }: { name: string; version: number }): RawBuilder<unknown> {
  return sql`heads h left join checkpoints c
    on c.company_id = h.company_id and c.projection = ${name} and c.version = ${version}`
}

/**
 * The position that a projection has reached in each of these companies. Companies without a checkpoint are missing.
 */
export async function readReached(
  db: LedgerDb,
  companyIds: string[],
  projection: { name: string; version: number },
): Promise<Map<string, number>> {
  const { rows } = await sql<Row<'checkpoints', 'company_id' | 'position'>>`
    select company_id, position from checkpoints where company_id = any(${companyIds.map(toUuid)}::uuid[])
      and projection = ${projection.name} and version = ${projection.version}`.execute(db)
  return new Map(rows.map(({ company_id: company, position }) => [fromUuid('com', company), position]))
}

/** Whether a version of a projection may be read: its tables have once caught up with the heads. */
export async function isComplete(db: LedgerDb, projection: { name: string; version: number }): Promise<boolean> {
  const completed = db
    .selectFrom('projection_versions')
    .select('version')
    .where('projection', '=', projection.name)
    .where('version', '=', projection.version)
  const row = await outsideCompany(() => completed.executeTakeFirst())
  return row !== undefined
}

/**
 * Returns a function that tells whether all these projections may be read. A positive answer is cached, because it
 * never changes.
 */
export function createCompleteness(
  db: LedgerDb,
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
