import { sql, type QueryExecutorProvider } from 'kysely'

/** Indexes by name. A changed index needs a new name, because an existing one is kept. */
export type Indexes<More = unknown> = Readonly<Record<string, Index & More>>

interface Index {
  table: string
  /** What follows the table in `create index`: the columns, and which rows. */
  on: string
  isUnique?: true
}

/** Creates those of the indexes that don't exist, on tables that nobody writes to. */
export async function createIndexes(db: QueryExecutorProvider, schema: string, indexes: Indexes): Promise<void> {
  for (const [name, index] of Object.entries(indexes)) {
    await create(index, sql`if not exists ${sql.id(name)} on ${sql.id(schema, index.table)}`).execute(db)
  }
}

/**
 * Creates those of the indexes that are missing, one after the other, while the tables are read and written. Run it on a
 * single connection, outside a transaction, by one process at a time. A process may die at any point: what it leaves is
 * invalid, and is dropped and made again.
 */
export async function createIndexesConcurrently(
  db: QueryExecutorProvider,
  schema: string,
  indexes: Indexes,
  onCreated: (name: string) => void = () => undefined,
): Promise<void> {
  // It waits for transactions that began before it, and nobody waits for it.
  await sql`set lock_timeout = 0`.execute(db)
  for (const name of await findMissingIndexes(db, schema, indexes)) {
    const index = indexes[name]!
    await sql`drop index concurrently if exists ${sql.id(schema, name)}`.execute(db)
    await create(index, sql`concurrently ${sql.id(name)} on ${sql.id(schema, index.table)}`).execute(db)
    onCreated(name)
  }
  await sql`reset lock_timeout`.execute(db)
}

function create({ isUnique, on }: Index, target: ReturnType<typeof sql>) {
  return sql`create ${sql.raw(isUnique ? 'unique index' : 'index')} ${target} ${sql.raw(on)}`
}

/** The names of the indexes that a schema lacks, or that a killed process has left invalid. */
export async function findMissingIndexes(
  db: QueryExecutorProvider,
  schema: string,
  indexes: Indexes,
): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class join pg_index on indexrelid = pg_class.oid
    where relnamespace = to_regnamespace(${`"${schema}"`}) and indisvalid`.execute(db)
  const valid = new Set(rows.map(({ name }) => name))
  return Object.keys(indexes).filter((name) => !valid.has(name))
}
