import { setTimeout as delay } from 'node:timers/promises'
import { aborted } from 'node:util'
import { StartupError } from '#postgres/startup-error'
import { stopServer, type PostgresServer, findServer, LOOPBACK, startServer } from './postgres-server.ts'
import { ServerLease, type Purpose } from './server-lease.ts'
import { SUPERUSER_NAME } from './create-cluster.ts'

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
  async #awaitLoss({ lease, since }: Extract<State, { name: 'held' }>) {
    const { signal } = this.#releasing
    await Promise.race([lease.ended, aborted(signal, signal)])
    signal.throwIfAborted()
    if (performance.now() - since > STEADY_MS) this.#attempts = 0
    this.#state = { name: 'lost' }
    this.#holding.onTrouble('lost PostgreSQL; starting it again, unless it still runs')
  }

  /** Lost: makes the next attempt to get the server back. Throws to give it up. */
  async #joinAgain() {
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

  async #findLease() {
    const attempt = await tryJoin(this.#server.clusterDir, this.#holding)
    return 'lease' in attempt ? attempt.lease : undefined
  }
}

// How long to retry while others start and stop the server, or its port is taken.
const JOIN_TIMEOUT_MS = 30_000
// A server that is recovering from a crash says so and gets more time.
const RECOVERY_TIMEOUT_MS = 300_000
const JOIN_DELAY_MS = 50
const CANNOT_CONNECT_NOW = '57P03'
const MAINTENANCE_DATABASE = 'postgres'

/** Who joins a server, and with which password. */
interface Joining {
  password: string
  purpose: Purpose
}

/** A lease on a running server, and the server's port. */
interface JoinedServer {
  lease: ServerLease
  port: number
}

/**
 * Takes a lease on the running server, or starts it first. Others may start or stop it or take its port in between, so
 * each step may fail and is retried. `signal` ends the waiting.
 */
async function joinServer(server: PostgresServer, joining: Joining, signal?: AbortSignal): Promise<JoinedServer> {
  const started = performance.now()
  let startFault: string | undefined
  for (;;) {
    signal?.throwIfAborted()
    const attempt = await tryJoin(server.clusterDir, joining)
    if ('lease' in attempt) return attempt
    const timeoutMs = attempt.isStarting ? RECOVERY_TIMEOUT_MS : JOIN_TIMEOUT_MS
    if (performance.now() - started > timeoutMs) {
      const faults = startFault === undefined ? attempt.fault : `${startFault} (${attempt.fault})`
      throw new StartupError(`PostgreSQL in ${server.clusterDir} cannot be used: ${faults}`)
    }
    if (!attempt.isStarting) startFault = await startServer(server)
    if (attempt.isStarting || startFault !== undefined) await delay(JOIN_DELAY_MS)
  }
}

interface FailedJoin {
  fault: string
  /** The server exists and is starting or stopping. */
  isStarting: boolean
}

/** Takes a lease on the server if it is running. */
async function tryJoin(clusterDir: string, { password, purpose }: Joining): Promise<JoinedServer | FailedJoin> {
  const server = await findServer(clusterDir)
  if (server === undefined) return { fault: 'it is not running', isStarting: false }
  try {
    const url = databaseUrl(SUPERUSER_NAME, password, server.port, MAINTENANCE_DATABASE)
    return { lease: await ServerLease.take(url, purpose), port: server.port }
  } catch (error) {
    const { code, message } = error as { code?: string; message: string }
    return { fault: message, isStarting: code === CANNOT_CONNECT_NOW }
  }
}

/** The URL of a database of a server on this machine. */
export function databaseUrl(user: string, password: string, port: number, database: string) {
  return `postgres://${user}:${password}@${LOOPBACK}:${port}/${database}`
}
