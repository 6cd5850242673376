import type { ClientBase, QueryConfig } from 'pg'

/*
 * Settings of every connection: whatever the role or database prefers, PostgreSQL sends times in the one format that
 * the program parses, and finds the program's tables.
 */
const PINNED = {
  DateStyle: 'ISO,MDY',
  TimeZone: 'UTC',
  IntervalStyle: 'postgres',
  search_path: 'public',
  // Pools have times of their own; this is for pg-boss.
  statement_timeout: '1min',
  // Since PostgreSQL 17. Every statement and every pause between two are bounded, and exports take long.
  transaction_timeout: '0',
}

const ANSWERS_WITHIN_MS = 5_000

/**
 * Which servers a connection may lead to, as libpq's `target_session_attrs`: only one that takes writes, or any. After a
 * failover, an address may lead to a standby for a while, which answers reads with what was true then.
 */
export type Target = 'read-write' | 'any'

/** The server that a new connection leads to takes no writes. */
export class ReadOnlyServerError extends Error {
  override name = 'ReadOnlyServerError'

  constructor() {
    super(
      'the database server takes no writes: it is a standby, or default_transaction_read_only is on; name the primary',
    )
  }
}

/** The parameters of a pool. */
interface Connection {
  connectionString: string
  /** Prepares a new connection. The pool hands it out afterwards; if this fails, whoever waits for it gets the error. */
  onConnect(client: ClientBase): Promise<void>
}

/**
 * Connection parameters for a URL with server settings, e.g. `{ jit: 'off' }`, which override settings in the URL. A
 * statement makes them, because poolers refuse most start-up parameters. It may take `withinMs` milliseconds. A connection
 * to another server than `target` says is refused with ReadOnlyServerError.
 */
export function connectionTo(
  url: string,
  settings: Record<string, string>,
  { target = 'read-write', withinMs = ANSWERS_WITHIN_MS }: { target?: Target; withinMs?: number } = {},
): Connection {
  const all = { ...PINNED, ...settings }
  const query: QueryConfig & { query_timeout: number } = {
    text: `select set_config(name, value, false), current_setting('transaction_read_only') = 'on' as is_read_only
      from unnest($1::text[], $2::text[]) as s(name, value) where current_setting(name, true) is not null`,
    values: [Object.keys(all), Object.values(all)],
    query_timeout: withinMs,
  }
  const onConnect = async (client: ClientBase) => {
    const { rows } = await client.query<{ is_read_only: boolean }>(query)
    if (target === 'read-write' && rows[0]!.is_read_only) throw new ReadOnlyServerError()
  }
  return { connectionString: url, onConnect }
}
