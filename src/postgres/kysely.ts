import { Kysely, PostgresDialect, sql, type PostgresPoolClient } from 'kysely'
import type { Client, Pool, PoolClient, QueryConfig, QueryResult } from 'pg'
import { breaksConnection, retryOnce } from './database-errors.ts'
import { nameStatements, type NameOf } from './name-statements.ts'
import type { Queryable } from './pool.ts'

const PREPARED = 'select /* prepared */'

/** Begins a frequent read that has few different texts: each connection parses it once. */
export const SELECT_PREPARED = sql.raw(PREPARED)

const nameRead = nameStatements('read')
const nameMarked: NameOf = (text) => (text.startsWith(PREPARED) ? nameRead(text) : undefined)

/** A query builder on a pool; destroying it ends the pool. */
export function openDatabase<Tables>(pool: Pool): Kysely<Tables> {
  return openOn(pool, nameMarked)
}

/**
 * A query builder for work that repeats few statements. Each statement gets a name, so that a connection parses and
 * plans it once. The pool must be configured so that a plan made while a table was small does no harm once it has
 * grown.
 */
export function openPreparedDatabase<Tables>(pool: Pool): Kysely<Tables> {
  return openOn(pool, nameStatements())
}

/**
 * A query builder for reads that nobody needs once the signal aborts: the connection in use is closed, so that
 * PostgreSQL ends the statement. This one and further ones are refused with the reason of the signal.
 */
export function openUntil<Tables>(pool: Pool, signal: AbortSignal): Kysely<Tables> {
  return openOn(pool, nameMarked, signal)
}

/** A query builder on a connection that the caller holds, such as one in a transaction. Retries nothing. */
export function onClient<Tables>(client: Queryable): Kysely<Tables> {
  const held = {
    query: (text: string, values: unknown[]) => client.query(text, values),
    release: () => undefined,
  } as unknown as PostgresPoolClient
  const pool = { connect: async () => held, end: async () => undefined, options: {} }
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
}

function openOn<Tables>(pool: Pool, nameOf: NameOf, signal?: AbortSignal) {
  const connect = async () => {
    const checkout = new Checkout(pool, nameOf, signal)
    await checkout.connect()
    return checkout as unknown as PostgresPoolClient
  }
  return new Kysely<Tables>({
    dialect: new PostgresDialect({ pool: { connect, end: () => pool.end(), options: pool.options } }),
  })
}

const READ = /^\s*select\b/i

/** A connection for as long as it is checked out. No cursors: nothing here uses them. */
class Checkout {
  readonly #pool: Pool
  #client: PoolClient | undefined
  readonly #nameOf: NameOf
  readonly #signal: AbortSignal | undefined
  #isUsed = false
  #isBroken = false

  constructor(pool: Pool, nameOf: NameOf, signal: AbortSignal | undefined) {
    this.#pool = pool
    this.#nameOf = nameOf
    this.#signal = signal
  }

  async connect(): Promise<void> {
    this.#signal?.throwIfAborted()
    this.#client = await this.#pool.connect()
    this.#signal?.addEventListener('abort', this.#abandon)
  }

  /** Closes the connection at once, even while a statement runs. */
  readonly #abandon = () => {
    this.#isBroken = true
    void (this.#client as Client | undefined)?.end()
  }

  /** Retries a read on another connection if it comes first: no transaction or lock depends on this one yet. */
  query(text: string, values: unknown[]): Promise<QueryResult> {
    const isFirst = !this.#isUsed
    this.#isUsed = true
    const name = values.length > 0 ? this.#nameOf(text) : undefined
    const query = name === undefined ? { text, values } : { name, text, values }
    if (!isFirst || !READ.test(text)) return this.#ask(query)
    return retryOnce(async () => {
      if (this.#isBroken) this.release()
      if (!this.#client) await this.connect()
      return this.#ask(query)
    })
  }

  async #ask(query: QueryConfig) {
    this.#signal?.throwIfAborted()
    try {
      return await this.#client!.query(query)
    } catch (error) {
      this.#isBroken ||= breaksConnection(error)
      this.#signal?.throwIfAborted()
      throw error
    }
  }

  /** A connection that is broken, or whose prepared statements may be, is not used again. */
  release(isDiscarded = false): void {
    this.#signal?.removeEventListener('abort', this.#abandon)
    this.#client?.release(this.#isBroken || isDiscarded)
    this.#client = undefined
    this.#isBroken = false
  }
}
