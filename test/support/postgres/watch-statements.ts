import type { EventEmitter } from 'node:events'
import pg from 'pg'
import type { Test } from 'tap'

/* What this process sends to PostgreSQL, and on how many machines of a cluster each statement works. */

/** What is wrapped of a connection. */
interface Wire extends EventEmitter {
  query(text: string): void
  parse(query: { name?: string; text: string }, ...more: unknown[]): void
  bind(config: { statement?: string; values?: unknown[] }, ...more: unknown[]): void
}

/** Statements that this process has sent. */
export interface Watched {
  /** Those with parameters, each with its last ones. */
  sent: Map<string, unknown[]>
  /** Those that came first in a transaction. */
  first: Set<string>
}

/** Watches the statements that this process sends from now on, until the test ends. */
export function watchStatements(t: Pick<Test, 'teardown'>): Watched {
  const { connect } = pg.Client.prototype
  const watched: Watched = { sent: new Map(), first: new Set() }
  t.teardown(() => Object.assign(pg.Client.prototype, { connect }))
  function watch(this: { connection: Wire }, ...args: unknown[]): unknown {
    const { connection: wire } = this
    const texts = new Map<string, string>()
    const { query, parse, bind } = wire
    let hasBegun = false
    const note = (text: string) => {
      if (hasBegun) watched.first.add(text)
      hasBegun = /^(?:begin|start transaction)/i.test(text)
    }
    wire.query = (text) => {
      note(text)
      query.call(wire, text)
    }
    wire.parse = (query, ...more) => {
      texts.set(query.name ?? '', query.text)
      parse.call(wire, query, ...more)
    }
    wire.bind = (config, ...more) => {
      const text = texts.get(config.statement ?? '') ?? ''
      note(text)
      watched.sent.set(text, config.values ?? [])
      bind.call(wire, config, ...more)
    }
    return Reflect.apply(connect, this, args)
  }
  Object.assign(pg.Client.prototype, { connect: watch })
  return watched
}

/** What Citus plans for a statement. */
export interface CitusPlan {
  /** Whether the statement reads or writes a distributed table. */
  isDistributed: boolean
  /** Whether it is one task on one machine. */
  isOneTask: boolean
  lines: string[]
}

/** Plans a statement on a cluster. Returns null for what is not explained. */
export async function planOnCluster(client: pg.Client, text: string, values: unknown[]): Promise<CitusPlan | null> {
  if (!/^\s*(?:select|insert|update|delete|with)\b/i.test(text)) return null
  const explained = { text: `explain (costs off) ${text}`, values }
  const rows = await client.query<{ 'QUERY PLAN': string }>(explained).then(
    (result) => result.rows,
    // Citus runs such an INSERT with a SELECT that locks, but doesn't explain it.
    (error: Error) => (error.message === 'could not create distributed plan' ? null : Promise.reject(error)),
  )
  if (!rows) return null
  const lines = rows.map((row) => row['QUERY PLAN'])
  const tasks = lines.flatMap((line) => /Task Count: (\d+)/.exec(line)?.[1] ?? [])
  return {
    isDistributed: lines.some((line) => line.includes('Citus')),
    isOneTask: tasks.every((count) => count === '1') && !lines.some((line) => line.includes('repartition')),
    lines,
  }
}
