import pg from 'pg'
import type { Pool, PoolClient, PoolOptions } from 'pg'

type OnConnected = Parameters<Pool['connect']>[0]

/** Lends the connections of other pools. */
export class LendingPool extends pg.Pool {
  readonly #lend: () => Promise<PoolClient>
  readonly #lenders: () => Pool[]

  /** `lend` takes a connection of one of the `lenders`. */
  constructor(options: PoolOptions, lend: () => Promise<PoolClient>, lenders: () => Pool[]) {
    super(options)
    this.#lend = lend
    this.#lenders = lenders
    const sumOf = (count: 'totalCount' | 'idleCount' | 'waitingCount') => ({
      get: () => lenders().reduce((sum, pool) => sum + pool[count], 0),
    })
    Object.defineProperties(this, {
      totalCount: sumOf('totalCount'),
      idleCount: sumOf('idleCount'),
      waitingCount: sumOf('waitingCount'),
    })
  }

  /** Ends the other pools. */
  override async end(): Promise<void> {
    await Promise.all(this.#lenders().map((pool) => pool.end()))
  }

  override connect(): Promise<PoolClient>
  override connect(onConnected: OnConnected): void
  override connect(onConnected?: OnConnected): Promise<PoolClient> | void {
    const connecting = this.#lend()
    if (!onConnected) return connecting
    connecting.then(
      (client) => onConnected(undefined, client, client.release),
      (error: Error) => onConnected(error, undefined, () => undefined),
    )
  }
}
