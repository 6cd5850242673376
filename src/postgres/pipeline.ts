import type { ClientBase, Connection, FieldDef, QueryResultRow, Submittable, Pool, PoolClient } from 'pg'
import { type Answer, type Statement, type QueryClient, withClient, holdCompany } from './pool.ts'
import { currentCompany } from './company-scope.ts'

/** A pipeline that is being sent. */
export interface Pipe extends QueryClient {
  /** Lets the server begin with the statements so far, while this process prepares the next ones. */
  flush(): void
  /** Resolves once the server has taken what was flushed, or a statement has failed: the rest needs less memory. */
  taken(): Promise<void>
}

export const BEGIN: Statement = { name: 'begin', text: 'begin' }

export const COMMIT: Statement = { name: 'commit', text: 'commit' }

/**
 * Sends all statements that `send` queries in one pipeline: in one write unless it flushes, and with a single Sync after
 * the last statement (PostgreSQL Frontend/Backend Protocol, "Pipelining"). node-postgres's own `pipeline` option ends
 * each statement with a Sync of its own, so the server flushes each answer separately and wakes this process up for
 * each, and a failed statement doesn't stop the ones after it.
 *
 * When a statement fails, the server skips the ones after it, and all of them reject with its error. The connection
 * then refuses further pipelines, because it is unknown which statements it has prepared.
 */
export function pipeline<Result>(client: ClientBase, send: (pipe: Pipe) => Result): Result {
  const query = new PipelinedQuery(client)
  try {
    const result = send(query)
    query.end()
    return result
  } catch (error) {
    query.abandon()
    throw error
  }
}

/**
 * The same with statements that take long to prepare: `send` lets others have turns of the event loop between them. It
 * sees no failure of a statement, which its promise keeps.
 */
export async function pipelineInTurns<Result>(
  client: ClientBase,
  send: (pipe: Pipe) => Promise<Result>,
): Promise<Result> {
  const query = new PipelinedQuery(client)
  try {
    const result = await send(query)
    query.end()
    return result
  } catch (error) {
    query.abandon()
    throw error
  }
}

/** The result columns of a statement, with their parsers; empty for a statement that returns no rows. */
type Columns = { name: string; parse(text: string): unknown }[]

/** The statements that pipelines have prepared on a connection. */
interface Prepared {
  columns: Map<string, Columns>
  /** A pipeline has failed, so `columns` may not match what the server has prepared. */
  hasFailed: boolean
}

const preparedOn = new WeakMap<Connection, Prepared>()

interface Sent extends Statement {
  rows: QueryResultRow[]
  resolve(answer: Answer<never>): void
  reject(error: unknown): void
}

/**
 * Marks the prepared statements of pipelines. They are tracked here, all others by node-postgres; the prefix keeps one
 * from meeting the other under the same name on one connection.
 */
const NAME_PREFIX = 'pipeline '
/** PostgreSQL cuts longer names, so that two of them would be one. */
const MAX_NAME = 63

/** A pipeline, which node-postgres treats as one query: it receives every message up to ReadyForQuery. */
class PipelinedQuery implements Submittable, Pipe {
  /** Set by node-postgres; calling it stops the query timeout. */
  callback: ((error: unknown) => void) | undefined
  readonly #client: ClientBase
  readonly #statements: Sent[] = []
  #prepared: Prepared = { columns: new Map(), hasFailed: false }
  /** Where to write, once it is this pipeline's turn on the connection. */
  #connection: Connection | undefined
  #isQueued = false
  #hasEnded = false
  /** What failed. */
  #failure: { error: unknown } | null = null
  /** How many statements were written. */
  #written = 0
  /** The index of the statement whose answer comes next. */
  #at = 0
  /** Ends a wait for the server. */
  #goOn = () => {}

  constructor(client: ClientBase) {
    this.#client = client
  }

  query<Row extends QueryResultRow>(statement: Statement): Promise<Answer<Row>> {
    if (this.#failure) return handled(Promise.reject(this.#failure.error))
    const name = NAME_PREFIX + statement.name
    if (name.length > MAX_NAME) throw new RangeError(`PostgreSQL would cut the name of the statement ${name}`)
    return handled(
      new Promise((resolve, reject) => {
        this.#statements.push({ ...statement, name, rows: [], resolve, reject })
      }),
    )
  }

  flush(): void {
    if (this.#isQueued) return this.#write()
    this.#isQueued = true
    this.#client.query(this)
  }

  async taken(): Promise<void> {
    const stream = this.#connection?.stream
    if (this.#failure || !stream?.writableNeedDrain) return
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#goOn = resolve
    stream.once('drain', resolve).once('close', resolve)
    await promise
    stream.off('drain', resolve).off('close', resolve)
  }

  /** Writes the rest, with the Sync that makes the connection ready for another query. */
  end(): void {
    this.#hasEnded = true
    this.flush()
  }

  /** Ends the pipeline without the statements that were not written yet. Nobody waits for its answers. */
  abandon(): void {
    this.#statements.splice(this.#written)
    for (const sent of this.#statements) sent.resolve = sent.reject = () => undefined
    if (this.#isQueued) this.end()
  }

  submit(connection: Connection): Error | null {
    this.#prepared = preparedOn.get(connection) ?? this.#prepared
    preparedOn.set(connection, this.#prepared)
    if (this.#prepared.hasFailed) return new Error('a pipeline has failed on this connection')
    this.#connection = connection
    this.#write()
    return null
  }

  /** Writes what has not been written yet with one system call, and one wake-up of the server. */
  #write() {
    const connection = this.#connection
    if (!connection?.stream.writable) return
    connection.stream.cork()
    for (const sent of this.#statements.slice(this.#written)) {
      const { name, text, values } = sent
      const isNew = !this.#prepared.columns.has(name)
      if (isNew) connection.parse({ name, text, types: [] }, true)
      connection.bind({ statement: name, values }, true)
      if (isNew) connection.describe({ type: 'P' }, true)
      connection.execute(null, true)
      // RowDescription replaces this if the statement returns rows.
      if (isNew) this.#prepared.columns.set(name, [])
      // They may be megabytes.
      sent.values = []
    }
    this.#written = this.#statements.length
    if (this.#hasEnded) connection.sync()
    connection.stream.uncork()
  }

  handleRowDescription({ fields }: { fields: FieldDef[] }): void {
    const columns = fields.map(({ name, dataTypeID }) => ({
      name,
      parse: this.#client.getTypeParser(dataTypeID, 'text'),
    }))
    if (this.#current) this.#prepared.columns.set(this.#current.name, columns)
  }

  handleDataRow({ fields }: { fields: (string | null)[] }): void {
    if (!this.#current) return
    const columns = this.#prepared.columns.get(this.#current.name)!
    const row: QueryResultRow = {}
    for (let at = 0; at < columns.length; at += 1) {
      const { name, parse } = columns[at]!
      const value = fields[at]!
      row[name] = value === null ? null : parse(value)
    }
    this.#current.rows.push(row)
  }

  handleCommandComplete({ text: tag }: { text: string }): void {
    if (!this.#current) return
    const { rows, resolve } = this.#current
    this.#at += 1
    // E.g. `INSERT 0 3`, `SELECT 3`, `BEGIN`.
    const [command, ...counts] = tag.split(' ')
    resolve({ rows: rows as never[], command: command!, rowCount: counts.length > 0 ? Number(counts.at(-1)) : null })
  }

  handleError(error: unknown): void {
    this.#prepared.hasFailed = true
    this.#failure = { error }
    for (const { reject } of this.#statements.slice(this.#at)) reject(error)
    this.#at = this.#statements.length
    this.#goOn()
    this.callback?.(error)
  }

  handleReadyForQuery(): void {
    this.callback?.(null)
  }

  /** Undefined once every statement is answered or rejected; answers that arrive after a timeout are dropped. */
  get #current(): Sent | undefined {
    return this.#statements[this.#at]
  }
}

/** A promise whose rejection nobody has to handle before it is awaited: other statements may be prepared first. */
function handled<Result>(promise: Promise<Result>) {
  promise.catch(() => undefined)
  return promise
}

/**
 * Runs a task in a transaction of the company that the running code works for, and commits it. A connection on which
 * anything went wrong is not used again.
 */
export async function inTransaction<Result>(
  pool: Pool,
  task: (client: PoolClient) => Promise<Result>,
): Promise<Result> {
  return withClient(pool, async (client) => {
    const companyId = currentCompany()
    const first = companyId === null ? [BEGIN] : [BEGIN, holdCompany(companyId)]
    await pipeline(client, (pipe) => Promise.all(first.map((statement) => pipe.query(statement))))
    const result = await task(client)
    await client.query('commit')
    return result
  })
}
