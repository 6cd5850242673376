import { sql, type Transaction } from 'kysely'
import { schemaOf, type Projection } from '#projections/projection'
import { toUuid } from '#domain/ids'
import { shadowNameOf } from '#ledger/read/read-standings'
import type { LedgerDb, LedgerTables } from '#ledger/tables'
import { isOf } from './checkpoints.ts'
import { readProjectionTables } from './table-differences.ts'

/*
 * Copies of a projection's tables beside the live ones: the shadow, which a rebuild fills, and the tables that it has
 * replaced. Both survive if the rebuild is killed.
 */

/** The shadow of a projection, which a rebuild fills beside the live one. */
export function shadowOf(projection: Projection): Projection {
  return { ...projection, name: shadowNameOf(projection.name) }
}

/** The schema of replaced tables, until they are dropped. */
export function replacedSchemaOf({ name, version }: Projection): string {
  return schemaOf({ name: `${name}-old`, version })
}

/** The oid of a schema; null if it does not exist. */
export async function findSchemaOid(db: LedgerDb, schema: string): Promise<number | null> {
  const { rows } = await sql<{ oid: number | null }>`select to_regnamespace(${`"${schema}"`})::oid as oid`.execute(db)
  return rows[0]?.oid ?? null
}

/**
 * Whether a rebuild has started on a company and is before a position. A rebuild creates its checkpoint before it reads
 * any events.
 */
export async function isShadowBefore(
  db: LedgerDb,
  projection: Projection,
  companyId: string,
  position: number,
): Promise<boolean> {
  const shadow = shadowOf(projection)
  const { rows } = await sql`
    select 1 from checkpoints where ${isOf(shadow, companyId)} and position < ${position}`.execute(db)
  return rows.length > 0 && (await findSchemaOid(db, schemaOf(shadow))) !== null
}

/** Deletes a company's rows from replaced tables. New readers no longer see those. */
export async function emptyReplaced(
  transaction: Transaction<LedgerTables>,
  projection: Projection,
  companyId: string,
): Promise<void> {
  const schema = replacedSchemaOf(projection)
  for (const { name } of await readProjectionTables(transaction, schema)) {
    await sql`delete from ${sql.id(schema, name)} where company_id = ${toUuid(companyId)}`.execute(transaction)
  }
}
