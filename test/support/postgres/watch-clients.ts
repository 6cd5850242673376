import type { EventEmitter } from 'node:events'
import pg from 'pg'
import type { Test } from 'tap'

/** What a process has sent on its connections of some names. */
interface Sent {
  statements: number
  /** How often it waited for the database to be ready for the next statements. */
  roundTrips: number
}

/** A statement that this process has sent. */
interface WatchedStatement {
  /** The name of its connection. */
  connection: string
  /** The address of its server. */
  server: string
  text: string
  values: unknown[]
}

/** What is read of a client, which its type does not say. */
interface WatchedClient {
  host: string
  port: number
  connection: EventEmitter
  connectionParameters: { application_name: string }
}

/** Calls `look` before each call of a method of any client, until the end of the test. */
function watchClients(
  t: Pick<Test, 'teardown'>,
  name: 'connect' | 'query',
  look: (client: WatchedClient, args: unknown[]) => void,
): void {
  const { [name]: method } = pg.Client.prototype
  t.teardown(() => Object.assign(pg.Client.prototype, { [name]: method }))
  function watched(this: WatchedClient, ...args: unknown[]): unknown {
    look(this, args)
    return Reflect.apply(method, this, args)
  }
  Object.assign(pg.Client.prototype, { [name]: watched })
}

/**
 * Counts what is sent on connections that are opened from now on and whose names are among these. Returns a function that
 * counts what a task sends.
 */
export function countStatements(
  t: Pick<Test, 'teardown'>,
  names: readonly string[],
): (task: () => Promise<unknown>) => Promise<Sent> {
  const total: Sent = { statements: 0, roundTrips: 0 }
  watchClients(t, 'connect', ({ connection, connectionParameters }) => {
    if (!names.includes(connectionParameters.application_name)) return
    connection.on('commandComplete', () => (total.statements += 1))
    connection.on('readyForQuery', () => (total.roundTrips += 1))
  })
  return async (task) => {
    const before = { ...total }
    await task()
    return { statements: total.statements - before.statements, roundTrips: total.roundTrips - before.roundTrips }
  }
}

/** Collects the statements that this process sends one by one; those of a pipeline are left out. */
export function watchStatements(t: Pick<Test, 'teardown'>): WatchedStatement[] {
  const statements: WatchedStatement[] = []
  watchClients(t, 'query', ({ host, port, connectionParameters }, [statement, given]) => {
    const { text, values } =
      typeof statement === 'string' ? { text: statement, values: given } : (statement as Partial<WatchedStatement>)
    if (text !== undefined)
      statements.push({
        connection: connectionParameters.application_name,
        server: `${host}:${port}`,
        text,
        values: Array.isArray(values) ? values : [],
      })
  })
  return statements
}
