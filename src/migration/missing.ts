import { promises as fs } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { sql, type Kysely } from 'kysely'
import { schemaOf, type AnyDb, type Projection } from '#projections/projection'
import { findMissingIndexes } from '#postgres/create-indexes'
import { StartupError } from '#postgres/startup-error'
import { stepsLeft } from './distribution-steps.ts'
import { RIGHTS } from './roles.ts'

export const MIGRATIONS = fileURLToPath(new URL('../../migrations', import.meta.url))

/** What a program needs of a database, besides its migrations. */
interface Needs {
  queues: string[]
  projections: readonly Projection[]
  /** The role that needs the rights. Default: the current one. */
  role?: string
}

/** The names of this program's migrations, in order. */
export async function migrationNames(): Promise<string[]> {
  const files = (await fs.readdir(MIGRATIONS)).filter((file) => file.endsWith('.ts'))
  return files.toSorted().map((file) => file.replace(/\.ts$/, ''))
}

/**
 * Lists what this program needs and the database lacks, as seen by the current role. Additions of a newer version do
 * not count, so that the previous version can restart during a deployment. Throws StartupError if no release has made
 * the database.
 */
export async function findMissing(db: AnyDb, { queues, projections, role }: Needs): Promise<string[]> {
  await assertReleased(db, projections)
  const names = await migrationNames()
  const done = await doneMigrations(db)
  const schemas = projections.map((projection) => ({
    schema: schemaOf(projection),
    what: `projection ${projection.name} version ${projection.version}`,
    indexes: projection.indexes,
  }))
  const schemaNames = schemas.map(({ schema }) => schema)
  const usable = await usableSchemas(db, schemaNames)
  const missing = [
    ...names.filter((name) => !done.includes(name)).map((name) => `migration ${name}`),
    ...schemas.filter(({ schema }) => !usable.includes(schema)).map(({ what }) => `${what}: tables`),
  ]
  for (const { schema, what, indexes } of schemas.filter(({ schema }) => usable.includes(schema))) {
    for (const index of await findMissingIndexes(db, schema, indexes)) missing.push(`${what}: index ${index}`)
  }
  if (done.length === 0) return [...missing, 'queues', 'rights of the service']
  const toDistribute = (await stepsLeft(db)).map(({ line }) => line)
  const rights = await missingRights(db, role ?? null, [...schemaNames, 'pgboss'])
  return [...missing, ...toDistribute, ...(await missingQueues(db, queues)), ...rights]
}

/** Whether a newer version has migrated this database. */
export async function isAhead(db: AnyDb): Promise<boolean> {
  const migrations = await migrationNames()
  return (await doneMigrations(db)).some((name) => !migrations.includes(name))
}

/** Throws StartupError if no release has made the database: its tables can't be upgraded. */
export async function assertReleased(db: AnyDb, projections: readonly Projection[]): Promise<void> {
  const names = await migrationNames()
  const done = await doneMigrations(db)
  if (done.length > 0 && !done.includes(names[0]!))
    throw new StartupError('a version before 1.0.0 made this database, and no release can upgrade it: use an empty one')
  const trace = findUnpublished(names, done) ?? (await findOtherTable(db, projections))
  if (trace === null) return
  throw new StartupError(
    `an unpublished version made this database (${trace}), and no release can upgrade it: use an empty one, or ` +
      'restore a backup from before',
  )
}

/** Finds a migration that no release has, or not in this order; null if there is none. A newer release only adds. */
function findUnpublished(names: readonly string[], done: readonly string[]): string | null {
  const left = names.filter((name) => !done.includes(name))
  const unknown = done.find((name) => !names.includes(name) && (left.length > 0 || name < names.at(-1)!))
  if (unknown !== undefined) return `its migration ${unknown} was never published`
  const skipped = left.find((name) => done.some((later) => later > name))
  return skipped === undefined ? null : `it lacks the migration ${skipped} and has a later one`
}

/** Finds what the tables of a projection lack, which are published as a whole; null if they lack nothing. */
async function findOtherTable(db: AnyDb, projections: readonly Projection[]): Promise<string | null> {
  const wanted = projections.flatMap((projection) =>
    Object.entries(projection.tables).flatMap(([table, { columns }]) =>
      Object.keys(columns).map((column) => [schemaOf(projection), table, column] as const),
    ),
  )
  const { rows } = await sql<{ lacking: string }>`
    select s || '.' || t || '.' || c as lacking
    from unnest(${wanted.map(([schema]) => schema)}::text[], ${wanted.map(([, table]) => table)}::text[],
      ${wanted.map(([, , column]) => column)}::text[]) as w (s, t, c) join pg_namespace n on n.nspname = s
    where not exists (select from pg_class r join pg_attribute a on a.attrelid = r.oid
      where r.relnamespace = n.oid and r.relname = t and a.attname = c) limit 1`.execute(db)
  return rows[0] ? `it has no ${rows[0].lacking}` : null
}

async function doneMigrations(db: AnyDb): Promise<string[]> {
  // This table is granted together with all others.
  const { rows: schemaRows } = await sql<{
    may: boolean
  }>`select coalesce(has_table_privilege(to_regclass('public.kysely_migration'), 'select'), false) as may`.execute(db)
  if (!schemaRows[0]!.may) return []
  const { rows } = await sql<{ name: string }>`select name from public.kysely_migration`.execute(db)
  return rows.map(({ name }) => name)
}

async function usableSchemas(db: Kysely<unknown>, schemas: string[]): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select nspname as name from pg_namespace where nspname = any(${schemas})
      and has_schema_privilege(oid, 'usage')`.execute(db)
  return rows.map(({ name }) => name)
}

async function missingQueues(db: Kysely<unknown>, queues: string[]): Promise<string[]> {
  if ((await usableSchemas(db, ['pgboss'])).length === 0) return ['queues']
  const { rows } = await sql<{ name: string }>`select name from pgboss.queue where name = any(${queues})`.execute(db)
  return queues.filter((queue) => !rows.some(({ name }) => name === queue)).map((queue) => `queue ${queue}`)
}

async function missingRights(db: Kysely<unknown>, role: string | null, schemas: string[]): Promise<string[]> {
  const needed = Object.entries(RIGHTS).flatMap(([table, rights]) =>
    rights.split(', ').map((right) => ({ table: `public.${table}`, right })),
  )
  const { rows } = await sql<{ has_all: boolean }>`
    with service as (select coalesce(${role}::name, current_user) as role)
    select bool_and(coalesce(is_given, false)) as has_all from (
      select has_table_privilege(role, to_regclass(t), r) as is_given from service,
        unnest(${needed.map(({ table }) => table)}::text[], ${needed.map(({ right }) => right)}::text[]) as n (t, r)
      union all
      select has_schema_privilege(role, oid, 'usage') from service, pg_namespace where nspname = any(${schemas})
    ) given`.execute(db)
  return rows[0]!.has_all ? [] : ['rights of the service']
}
