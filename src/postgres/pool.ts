import pg from 'pg'
import { connectionTo } from './session-settings.ts'

const TIMESTAMPTZ = 1184
const INT8 = 20

/** Times arrive as RFC 3339 texts with milliseconds, positions as numbers (they stay far below 2 to the 53). */
const TYPES = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    if (oid === TIMESTAMPTZ) return (text: string) => new Date(text).toISOString()
    if (oid === INT8) return Number
    return pg.types.getTypeParser(oid, format)
  },
}

export interface PoolOptions {
  url: string
  /** Shown in pg_stat_activity. */
  name: string
  max: number
  /** How long a connection may take to be made, or to be free, in milliseconds. */
  connectTimeoutMs?: number
  /** How long one statement may take, in milliseconds. */
  statementTimeoutMs?: number
  /** How long one may wait for a lock, in milliseconds. */
  lockTimeoutMs?: number
  /** Server settings of every connection, e.g. `{ jit: 'off' }`. */
  settings?: Record<string, string>
}

const CONNECT_TIMEOUT_MS = 5_000
const STATEMENT_TIMEOUT_MS = 30_000
const LOCK_TIMEOUT_MS = 10_000
/** Beyond the server's own time-out: for a server or a network that has gone silent. */
const SILENCE_MS = 5_000

/** A pool of connections in which every wait has a bound. */
export function openPool(options: PoolOptions): pg.Pool {
  const statementTimeoutMs = options.statementTimeoutMs ?? STATEMENT_TIMEOUT_MS
  const config: pg.PoolConfig = {
    ...connectionTo(options.url, options.settings),
    application_name: options.name,
    max: options.max,
    types: TYPES,
    keepAlive: true,
    connectionTimeoutMillis: options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS,
    statement_timeout: statementTimeoutMs,
    query_timeout: statementTimeoutMs + SILENCE_MS,
    lock_timeout: options.lockTimeoutMs ?? LOCK_TIMEOUT_MS,
    idle_in_transaction_session_timeout: statementTimeoutMs,
  }
  const pool = new pg.Pool(config)
  // A connection that breaks is replaced at the next use, and whoever used it gets the error of the statement. Without
  // listeners, on the pool for idle connections and on each client while it is in use, it would end the process.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => client.on('error', () => undefined))
  return pool
}
