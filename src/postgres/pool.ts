import pg from 'pg'
import type { PoolClient } from 'pg'
import { parseJson } from '#domain/json'
import { connectionTo, type Target } from './session-settings.ts'

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
function parseTime(text: string): string {
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
