import pg from 'pg'
import type { Test } from 'tap'

/** A statement that this process has sent. */
export interface WatchedStatement {
  /** The name of its connection. */
  connection: string
  /** The address of its server. */
  server: string
  text: string
}

interface WatchedClient {
  host: string
  port: number
  connectionParameters: { application_name: string }
}

/** Collects the statements that this process sends one by one; those of a pipeline are left out. */
export function watchStatements(t: Pick<Test, 'teardown'>): WatchedStatement[] {
  const statements: WatchedStatement[] = []
  const { query } = pg.Client.prototype
  t.teardown(() => Object.assign(pg.Client.prototype, { query }))
  function queryWatched(this: WatchedClient, ...args: [string | { text?: string }, ...unknown[]]) {
    const [statement] = args
    const text = typeof statement === 'string' ? statement : statement.text
    const { host, port, connectionParameters } = this
    if (text !== undefined)
      statements.push({ connection: connectionParameters.application_name, server: `${host}:${port}`, text })
    return Reflect.apply(query, this, args) as unknown
  }
  Object.assign(pg.Client.prototype, { query: queryWatched })
  return statements
}
