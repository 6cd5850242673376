import { setTimeout as delay } from 'node:timers/promises'
import { StartupError } from '../startup-error.ts'
import { joinServer, tryJoin, type JoinedServer, type Joining } from './join-server.ts'
import { stopServer, type PostgresServer } from './postgres-server.ts'
import type { ServerLease } from './server-lease.ts'

/** The pause before each attempt to get a lost server back. */
const PAUSES_MS = [0, 500, 1_000, 2_000, 4_000, 8_000, 16_000]
/** A server that has run for so long has recovered: if it is lost again, it gets all attempts. */
const STEADY_MS = 60_000

/** Who holds a server, and who hears that it was lost or could not be started again. */
export interface Holding extends Joining {
  onTrouble: (trouble: string, error?: unknown) => void
}

type State = { name: 'held'; lease: ServerLease; since: number } | { name: 'lost' }

/**
 * A server that this process keeps running. PostgreSQL closes all connections if one of its processes crashes, and it
 * ends if its main process is killed or the disk is full. Then those who hold it start it again, at the port that their
 * pools know.
 *
 *     held       has a lease; it is lost when the lease ends
 *     lost       is joined again after a pause, and is then held; after too many attempts it is given up
 *     given up   `lost` has rejected
 *     released   by `release()`, from any other state; the last process to do so has stopped the server
 */
export class HeldServer {
  /** Its first lease. */
  readonly lease: ServerLease
  readonly port: number
  /** Rejects once the server is given up or released. */
  readonly lost: Promise<never>
  readonly #server: PostgresServer
  readonly #holding: Holding
  readonly #releasing = new AbortController()
  #state: State
  /** Attempts to get the server back since it last ran for long. */
  #attempts = 0

  private constructor(server: PostgresServer, holding: Holding, { lease, port }: JoinedServer) {
    this.#server = server
    this.#holding = holding
    this.lease = lease
    this.port = port
    this.#state = { name: 'held', lease, since: performance.now() }
    this.lost = this.#keep()
    // Who doesn't wait for it notices at the next statement.
    this.lost.catch(() => undefined)
  }

  /** Joins a server, or starts it first, and holds it from then on. */
  static async hold(server: PostgresServer, holding: Holding): Promise<HeldServer> {
    return new HeldServer(server, holding, await joinServer(server, holding))
  }

  /** Releases the server; the last process to do so stops it. */
  async release(): Promise<void> {
    this.#releasing.abort()
    await this.lost.catch(() => undefined)
    const state = this.#state
    // Without a lease, look once more: the server may run for nobody.
    const lease = state.name === 'held' && !state.lease.isEnded ? state.lease : await this.#findLease()
    await lease?.release(() => stopServer(this.#server))
  }

  async #keep(): Promise<never> {
    for (;;) {
      if (this.#state.name === 'held') await this.#awaitLoss(this.#state)
      else await this.#joinAgain()
    }
  }

  /** Held: waits until the server is lost. */
  async #awaitLoss({ lease, since }: Extract<State, { name: 'held' }>): Promise<void> {
    const { signal } = this.#releasing
    await Promise.race([lease.ended, aborted(signal)])
    signal.throwIfAborted()
    if (performance.now() - since > STEADY_MS) this.#attempts = 0
    this.#state = { name: 'lost' }
    this.#holding.onTrouble('lost PostgreSQL; starting it again, unless it still runs')
  }

  /** Lost: makes the next attempt to get the server back. Throws to give it up. */
  async #joinAgain(): Promise<void> {
    const { signal } = this.#releasing
    const { clusterDir } = this.#server
    const pause = PAUSES_MS[this.#attempts]
    if (pause === undefined) throw new StartupError(`PostgreSQL in ${clusterDir} ends again and again`)
    this.#attempts += 1
    await delay(pause, undefined, { signal })
    let joined: JoinedServer
    try {
      joined = await joinServer({ ...this.#server, port: this.port }, this.#holding, signal)
    } catch (error) {
      if (signal.aborted || this.#attempts === PAUSES_MS.length) throw error
      this.#holding.onTrouble('could not start PostgreSQL again; trying once more', error)
      return
    }
    this.#state = { name: 'held', lease: joined.lease, since: performance.now() }
    if (joined.port !== this.port || joined.lease.isServing !== this.lease.isServing)
      throw new StartupError(`another process has started PostgreSQL in ${clusterDir}: start this program again`)
  }

  async #findLease(): Promise<ServerLease | undefined> {
    const attempt = await tryJoin(this.#server.clusterDir, this.#holding)
    return 'lease' in attempt ? attempt.lease : undefined
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
