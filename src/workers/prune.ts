import { sql } from 'kysely'
import { schemaOf, type Projection } from '#projections/projection'
import { isComplete } from '#ledger/read/read-progress'
import type { LedgerDb } from '#ledger/tables'
import { shadowOf } from './copies.ts'
import { dropReplaced, dropSchema, forgetCheckpoints } from './shadow.ts'

/** An older version of a projection, and whether its tables were dropped or are still in use. */
interface PrunedVersion {
  projection: string
  version: number
  isDropped: boolean
}

/**
 * Drops the tables of older versions of a projection, and leftovers of their rebuilds, once the current version may be
 * read. Run as the owner, after all processes of older versions have stopped: their tables are gone afterwards.
 */
export async function pruneVersions(db: LedgerDb, projection: Projection): Promise<PrunedVersion[]> {
  await dropReplaced(db, projection)
  if (!(await isComplete(db, projection))) return []
  const pruned: PrunedVersion[] = []
  for (const version of await listOlderVersions(db, projection)) {
    const old = { ...projection, version }
    let isDropped = await dropReplaced(db, old)
    for (const { name } of [shadowOf(old), old])
      isDropped = (await dropSchema(db, schemaOf({ name, version }))) && isDropped
    if (isDropped) await forgetVersion(db, old)
    pruned.push({ projection: projection.name, version, isDropped })
  }
  return pruned
}

/** Older versions with tables, or with rows left by an interrupted run. */
async function listOlderVersions(db: LedgerDb, { name, version }: Projection): Promise<number[]> {
  const prefix = schemaOf({ name, version: 0 }).slice(0, -1)
  const { rows } = await sql<{ version: number }>`
    select version from (
      select substr(nspname, ${prefix.length + 1}::integer)::integer as version from pg_namespace
        where starts_with(nspname, ${prefix}) and substr(nspname, ${prefix.length + 1}::integer) ~ '^[0-9]{1,6}$'
      union select version from checkpoints where projection = ${name}
      union select version from projection_versions where projection = ${name}
    ) as known (version) where version < ${version} order by version`.execute(db)
  return rows.map((row) => row.version)
}

async function forgetVersion(db: LedgerDb, projection: Projection): Promise<void> {
  const { name, version } = projection
  await db.transaction().execute(async (transaction) => {
    await forgetCheckpoints(transaction, projection)
    await forgetCheckpoints(transaction, shadowOf(projection))
    await transaction
      .deleteFrom('projection_versions')
      .where('projection', '=', name)
      .where('version', '=', version)
      .execute()
  })
}
