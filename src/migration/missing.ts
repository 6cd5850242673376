import { promises as fs } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import type { Projection } from '../../projections/projection.ts'
import { schemaOf } from '../../projections/projection.ts'
import { StartupError } from '../postgres/startup-error.ts'
import { stepsLeft } from './distribution-steps.ts'
import { RIGHTS } from './roles.ts'

export const MIGRATIONS = fileURLToPath(new URL('../../migrations', import.meta.url))

/** What a program needs of a database, besides its migrations and the rights to use them. */
interface Needs {
  queues: string[]
  projections: readonly Projection[]
}

/** The names of this program's migrations, in order. */
export async function migrationNames(): Promise<string[]> {
  const files = (await fs.readdir(MIGRATIONS)).filter((file) => file.endsWith('.ts'))
  return files.toSorted().map((file) => file.replace(/\.ts$/, ''))
}

/**
 * Lists what this program needs and the database lacks, as seen by the current role. Additions of a newer version do
 * not count, so that the previous version can restart during a deployment.
 */
export async function findMissing(db: Kysely<unknown>, { queues, projections }: Needs): Promise<string[]> {
  const names = await migrationNames()
  const done = await doneMigrations(db)
  const schemas = projections.map((projection) => ({
    schema: schemaOf(projection),
    what: `projection ${projection.name} version ${projection.version}`,
  }))
  const usable = await usableSchemas(
    db,
    schemas.map(({ schema }) => schema),
  )
  const missing = [
    ...names.filter((name) => !done.includes(name)).map((name) => `migration ${name}`),
    ...schemas.filter(({ schema }) => !usable.includes(schema)).map(({ what }) => `${what}: tables`),
  ]
  if (done.length === 0) return [...missing, 'queues', 'rights of the service']
  const toDistribute = (await stepsLeft(db)).map(({ line }) => line)
  return [...missing, ...toDistribute, ...(await missingQueues(db, queues)), ...(await missingRights(db))]
}

/** Whether a newer version has migrated this database. */
export async function isAhead(db: Kysely<unknown>): Promise<boolean> {
  const migrations = await migrationNames()
  return (await doneMigrations(db)).some((name) => !migrations.includes(name))
}

/** Throws StartupError if the database was made before the first release. Its tables can't be upgraded. */
export async function assertReleased(db: Kysely<unknown>): Promise<void> {
  const [first] = await migrationNames()
  const done = await doneMigrations(db)
  if (done.length > 0 && !done.includes(first!))
    throw new StartupError('a version before 1.0.0 made this database, and no release can upgrade it: use an empty one')
}

async function doneMigrations(db: Kysely<unknown>): Promise<string[]> {
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
    select nspname as name from pg_namespace where nspname = any(${schemas}) and has_schema_privilege(oid, 'usage')`.execute(
    db,
  )
  return rows.map(({ name }) => name)
}

async function missingQueues(db: Kysely<unknown>, queues: string[]): Promise<string[]> {
  if ((await usableSchemas(db, ['pgboss'])).length === 0) return ['queues']
  const { rows } = await sql<{ name: string }>`select name from pgboss.queue where name = any(${queues})`.execute(db)
  return queues.filter((queue) => !rows.some(({ name }) => name === queue)).map((queue) => `queue ${queue}`)
}

async function missingRights(db: Kysely<unknown>): Promise<string[]> {
  const tables = Object.keys(RIGHTS).map((table) => `public.${table}`)
  const { rows } = await sql<{ has_all: boolean }>`
    select coalesce(bool_and(coalesce(has_table_privilege(to_regclass(t), 'select'), false)), true) as has_all from unnest(${tables}::text[]) t`.execute(
    db,
  )
  return rows[0]!.has_all ? [] : ['rights of the service']
}
