import pg from 'pg'
import type { PoolClient, ClientBase, QueryResultRow } from 'pg'
import { parseJson } from '#domain/json'
import { connectionTo, type Target } from './session-settings.ts'
import { toUuid } from '#domain/ids'

const TIMESTAMPTZ = 1184
const INT8 = 20
const JSON_TYPES: ReadonlySet<number> = new Set([114, 3802])

/**
 * Times are parsed to RFC 3339 texts with milliseconds, positions to numbers, which stay far below 2^53, and JSON with its
 * names as they are.
 */
const TYPES = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    if (oid === TIMESTAMPTZ) return parseTime
    if (oid === INT8) return Number
    if (JSON_TYPES.has(oid)) return parseJson
    return pg.types.getTypeParser(oid, format)
  },
}

/**
 * RFC 3339 with three digits of a second, from `2026-11-20 15:01:40.32+00`; further digits are cut off. Every event that
 * is read has a time, so this is much faster than a `Date`.
 */
function parseTime(text: string) {
  const end = text.length - '+00'.length
  const isPlain = text.endsWith('+00') && text[4] === '-' && end >= SECONDS_END
  if (!isPlain) return new Date(text).toISOString()
  const fraction = text.slice(SECONDS_END + 1, Math.min(end, SECONDS_END + 4))
  return `${text.slice(0, 10)}T${text.slice(11, SECONDS_END)}.${fraction.padEnd(3, '0')}Z`
}

const SECONDS_END = '2026-11-20 15:01:40'.length

export interface PoolOptions {
  url: string
  /** Shown in pg_stat_activity. */
  name: string
  max: number
  /** Which servers connections may lead to; only those that take writes, by default. */
  target?: Target
  /** Milliseconds to wait for a new or free connection. */
  connectTimeoutMs?: number
  /** Milliseconds that a statement may take. */
  statementTimeoutMs?: number
  /** Milliseconds to wait for a lock. */
  lockTimeoutMs?: number
  /** Server settings of each connection, e.g. `{ jit: 'off' }`. */
  settings?: Record<string, string>
}

const CONNECT_TIMEOUT_MS = 5_000
const STATEMENT_TIMEOUT_MS = 30_000
const LOCK_TIMEOUT_MS = 10_000
/** A connection through a proxy may outlive the server's turn as the primary: none stays longer than this. */
const MAX_LIFETIME_SECONDS = 600
/** Added to the server's own timeout, for a server or network that has gone silent. */
const SILENCE_MS = 5_000

/** Opens a connection pool in which every wait is bounded. */
export function openPool(options: PoolOptions): pg.Pool {
  const statementTimeoutMs = options.statementTimeoutMs ?? STATEMENT_TIMEOUT_MS
  const connectTimeoutMs = options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS
  const settings = {
    ...options.settings,
    statement_timeout: String(statementTimeoutMs),
    lock_timeout: String(options.lockTimeoutMs ?? LOCK_TIMEOUT_MS),
    idle_in_transaction_session_timeout: String(statementTimeoutMs),
    // Ends statements whose connection has been closed.
    client_connection_check_interval: '1s',
  }
  const config: pg.PoolConfig = {
    ...connectionTo(options.url, settings, { target: options.target ?? 'read-write', withinMs: connectTimeoutMs }),
    application_name: options.name,
    max: options.max,
    types: TYPES,
    keepAlive: true,
    maxLifetimeSeconds: MAX_LIFETIME_SECONDS,
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: statementTimeoutMs + SILENCE_MS,
  }
  const pool = new pg.Pool(config)
  // A broken connection is replaced on next use, and its user gets the error. Without these listeners, for
  // idle connections and for those in use, the error would end the process.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => client.on('error', () => undefined))
  return pool
}

/** Runs a task on a connection of a pool. A connection on which anything went wrong is not used again. */
export async function withClient<Result>(
  pool: { connect(): Promise<PoolClient> },
  task: (client: PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect()
  try {
    const result = await task(client)
    client.release()
    return result
  } catch (error) {
    client.release(true)
    throw error
  }
}

export interface Answer<Row> {
  rows: Row[]
  /** The command tag without its counts, e.g. INSERT. */
  command: string
  /** Rows read or written; null for commands that report no count. */
  rowCount: number | null
}

/** A named statement. A connection prepares it once, under its name. */
export interface Statement {
  name: string
  text: string
  /** Buffers are sent in binary format, everything else as text. */
  values?: (Buffer | string | null)[]
}

/** Accepts statements: a connection, or a pipeline on one. */
export interface QueryClient {
  query<Row extends QueryResultRow>(statement: Statement): Promise<Answer<Row>>
}

/** Accepts queries of node-postgres: a connection, or a pool. */
export type Queryable = Pick<ClientBase, 'query'>

/** What a statement does with rows that another transaction has locked. */
export type WhenLocked = 'wait' | 'skip locked'

/*
 * Calls of any number of companies share statements. One about a single company also names it, so that Citus finds the
 * machine. The parameter may be null, so this changes no plan that PostgreSQL keeps.
 */

/** The company of rows that are all of one; null if they are of several. */
export function onlyCompany(rows: readonly { companyId: string }[]): string | null {
  const [first] = rows
  return first && rows.every(({ companyId }) => companyId === first.companyId) ? toUuid(first.companyId) : null
}

/** A condition that a column has the only company, if there is one. `parameter` is that of `onlyCompany`, such as `$3`. */
export function isOnly(column: string, parameter: string): string {
  return `(${parameter}::uuid is null or ${column} = ${parameter})`
}

/*
 * Citus moves a company to another machine when the transactions that have written to its tables have ended. It doesn't
 * wait for one that has only locked rows. What that one writes next goes to the new machine, where it has no locks.
 */

/**
 * Keeps a company where it is until the end of the transaction, or waits until it has been moved. To be sent before
 * other statements of the transaction. Calls of API keys leave it out where there is one server, which moves nothing.
 */
export function holdCompany(companyId: string): Statement {
  return {
    name: 'hold-company',
    // A statement that waits for a move can miss the rows that were moved. This one changes none anyway.
    text: 'update heads set position = position where company_id = $1 and position < 0',
    values: [toUuid(companyId)],
  }
}

/**
 * Creates a client for a connection that belongs to no pool. When a connection is lost, whoever waits for an answer gets
 * the error; a connection on which nobody waits is lost silently, where the error would otherwise end the process.
 */
export function createClient(config: pg.ClientConfig): pg.Client {
  const client = new pg.Client(config)
  client.on('error', () => undefined)
  return client
}
