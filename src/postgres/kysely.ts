import type { PostgresPoolClient } from 'kysely'
import { Kysely, PostgresDialect } from 'kysely'
import type { Pool, PoolClient } from 'pg'

/** A query builder on a pool; destroying it ends the pool. */
export function openDatabase<Tables>(pool: Pool): Kysely<Tables> {
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
}

/** The number of statements that get a name; further ones are sent unnamed. */
const MAX_NAMED = 100

/**
 * A query builder for work that repeats few statements. Each statement gets a name, so that a connection parses and
 * plans it once. The pool must be configured so that a plan made while a table was small does no harm once it has
 * grown. Query builders on the same connections share the `names` of statements.
 */
export function openPreparedDatabase<Tables>(pool: Pool, names = new Map<string, string>()): Kysely<Tables> {
  const nameOf = (text: string) => {
    if (!names.has(text) && names.size < MAX_NAMED) names.set(text, `statement ${names.size + 1}`)
    return names.get(text)
  }
  const prepared = new WeakMap<PoolClient, PostgresPoolClient>()
  const connect = async () => {
    const client = await pool.connect()
    const known = prepared.get(client) ?? preparedClient(client, nameOf)
    prepared.set(client, known)
    return known
  }
  return new Kysely<Tables>({
    dialect: new PostgresDialect({ pool: { connect, end: () => pool.end(), options: pool.options } }),
  })
}

function preparedClient(client: PoolClient, nameOf: (text: string) => string | undefined): PostgresPoolClient {
  const query = (text: string, values: unknown[]) => {
    const name = values.length > 0 ? nameOf(text) : undefined
    return client.query(name === undefined ? { text, values } : { name, text, values })
  }
  // No cursors: nothing here uses them.
  return { query, release: (isBroken?: boolean) => client.release(isBroken) } as unknown as PostgresPoolClient
}
