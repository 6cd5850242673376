import type { EventEmitter } from 'node:events'
import pg from 'pg'
import type { Test } from 'tap'

/** What a process has sent on its connections of some names. */
interface Sent {
  statements: number
  /** How often it waited for the database to be ready for the next statements. */
  roundTrips: number
}

/** What is read of a client, which its type does not say. */
interface CountedClient {
  connection: EventEmitter
  connectionParameters: { application_name: string }
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
  const { connect } = pg.Client.prototype
  t.teardown(() => Object.assign(pg.Client.prototype, { connect }))
  function connectCounted(this: CountedClient, ...args: unknown[]) {
    const { connection, connectionParameters } = this
    if (names.includes(connectionParameters.application_name)) {
      connection.on('commandComplete', () => (total.statements += 1))
      connection.on('readyForQuery', () => (total.roundTrips += 1))
    }
    return Reflect.apply(connect, this, args)
  }
  Object.assign(pg.Client.prototype, { connect: connectCounted })
  return async (task) => {
    const before = { ...total }
    await task()
    return { statements: total.statements - before.statements, roundTrips: total.roundTrips - before.roundTrips }
  }
}
