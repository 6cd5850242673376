import type { ClientBase, QueryConfig } from 'pg'

/*
 * Settings of every connection: whatever the role or database prefers, PostgreSQL sends times in the one format that
 * the program parses.
 */
const PINNED = { DateStyle: 'ISO,MDY', TimeZone: 'UTC', IntervalStyle: 'postgres' }

const ANSWERS_WITHIN_MS = 5_000

/** The parameters of a pool. */
interface Connection {
  connectionString: string
  /** Prepares a new connection. The pool hands it out afterwards; if this fails, whoever waits for it gets the error. */
  onConnect(client: ClientBase): Promise<void>
}

/**
 * Connection parameters for a URL with server settings, e.g. `{ jit: 'off' }`, which override settings in the URL. A
 * statement makes them, because poolers refuse most start-up parameters. It may take `withinMs` milliseconds.
 */
export function connectionTo(url: string, settings: Record<string, string>, withinMs = ANSWERS_WITHIN_MS): Connection {
  const all = { ...PINNED, ...settings }
  const query: QueryConfig & { query_timeout: number } = {
    text: 'select set_config(name, value, false) from unnest($1::text[], $2::text[]) as s(name, value)',
    values: [Object.keys(all), Object.values(all)],
    query_timeout: withinMs,
  }
  return { connectionString: url, onConnect: async (client) => void (await client.query(query)) }
}
