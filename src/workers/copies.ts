import { sql, type Transaction } from 'kysely'
import { schemaOf, type Projection } from '#projections/projection'
import { toUuid } from '#domain/ids'
import { shadowNameOf } from '#ledger/read/read-standings'
import type { LedgerDb, LedgerTables } from '#ledger/tables'
import { isOf } from './checkpoints.ts'
import { readProjectionTables } from './table-differences.ts'
import { headsWithCheckpoints, isComplete } from '#ledger/read/read-progress'

/*
 * Copies of a projection's tables beside the live ones: the shadow, which a rebuild fills, and the tables that it has
 * replaced. Both survive if the rebuild is killed.
 */

/** The shadow of a projection, which a rebuild fills beside the live one. */
export function shadowOf(projection: Projection): Projection {
  return { ...projection, name: shadowNameOf(projection.name) }
}

/** The schema of replaced tables, until they are dropped. */
export function replacedSchemaOf({ name, version }: Projection) {
  return schemaOf({ name: `${name}-old`, version })
}

/** The oid of a schema; null if it does not exist. */
export async function findSchemaOid(db: LedgerDb, schema: string) {
  const { rows } = await sql<{ oid: number | null }>`select to_regnamespace(${`"${schema}"`})::oid as oid`.execute(db)
  return rows[0]?.oid ?? null
}

/**
 * Whether a rebuild has started on a company and is before a position. A rebuild creates its checkpoint before it reads
 * any events.
 */
export async function isShadowBefore(db: LedgerDb, projection: Projection, companyId: string, position: number) {
  const shadow = shadowOf(projection)
  const { rows } = await sql`
    select 1 from checkpoints where ${isOf(shadow, companyId)} and position < ${position}`.execute(db)
  return rows.length > 0 && (await findSchemaOid(db, schemaOf(shadow))) !== null
}

/** Deletes a company's rows from replaced tables. New readers no longer see those. */
export async function emptyReplaced(transaction: Transaction<LedgerTables>, projection: Projection, companyId: string) {
  const schema = replacedSchemaOf(projection)
  for (const { name } of await readProjectionTables(transaction, schema)) {
    await sql`delete from ${sql.id(schema, name)} where company_id = ${toUuid(companyId)}`.execute(transaction)
  }
}

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
