import type { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import pg from 'pg'
import type { Test } from 'tap'

/** What a process has sent on its connections of some names. */
interface Sent {
  statements: number
  /** How often it waited for the database to be ready for the next statements. */
  roundTrips: number
  /** The rows that the statements returned or changed. */
  rows: number
  bytes: number
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
  connection: EventEmitter & { stream: Socket }
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
  const counted = { statements: 0, roundTrips: 0, rows: 0 }
  const connections: WatchedClient['connection'][] = []
  watchClients(t, 'connect', ({ connection, connectionParameters }) => {
    if (!names.includes(connectionParameters.application_name)) return
    connections.push(connection)
    connection.on('commandComplete', ({ text }: { text: string }) => {
      counted.statements += 1
      // E.g. `INSERT 0 3`, `SELECT 3`, `BEGIN`.
      counted.rows += Number(/ (\d+)$/.exec(text)?.[1] ?? 0)
    })
    connection.on('readyForQuery', () => (counted.roundTrips += 1))
  })
  const total = (): Sent => {
    const bytes = connections.reduce((sum, { stream }) => sum + stream.bytesWritten, 0)
    return { ...counted, bytes }
  }
  return async (task) => {
    const before = total()
    await task()
    const after = total()
    return Object.fromEntries(
      (Object.keys(after) as (keyof Sent)[]).map((name) => [name, after[name] - before[name]]),
    ) as unknown as Sent
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
