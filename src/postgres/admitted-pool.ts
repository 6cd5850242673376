import pg from 'pg'
import type { Pool, PoolClient } from 'pg'

/** Waits until the running code may take a connection. Resolves with what is called once it has released it. */
type Admit = () => Promise<() => void>

type OnConnected = Parameters<Pool['connect']>[0]

/** The connections of another pool, for code that has to be admitted before it takes one. */
export class AdmittedPool extends pg.Pool {
  readonly connections: Pool
  readonly admit: Admit

  constructor(pool: Pool, admit: Admit) {
    super(pool.options)
    this.connections = pool
    this.admit = admit
    const countOf = (count: 'totalCount' | 'idleCount' | 'waitingCount') => ({ get: () => pool[count] })
    Object.defineProperties(this, {
      totalCount: countOf('totalCount'),
      idleCount: countOf('idleCount'),
      waitingCount: countOf('waitingCount'),
    })
  }

  /** Ends the other pool. */
  override async end(): Promise<void> {
    await this.connections.end()
  }

  override connect(): Promise<PoolClient>
  override connect(onConnected: OnConnected): void
  override connect(onConnected?: OnConnected): Promise<PoolClient> | void {
    const connecting = this.#connectOnceAdmitted()
    if (!onConnected) return connecting
    connecting.then(
      (client) => onConnected(undefined, client, client.release),
      (error: Error) => onConnected(error, undefined, () => undefined),
    )
  }

  async #connectOnceAdmitted(): Promise<PoolClient> {
    const giveBack = await this.admit()
    try {
      const client = await this.connections.connect()
      // The pool sets this whenever it lends the connection.
      const { release } = client
      client.release = (isBroken) => {
        release.call(client, isBroken)
        giveBack()
      }
      return client
    } catch (error) {
      giveBack()
      throw error
    }
  }
}
