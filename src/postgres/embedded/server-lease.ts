import { setTimeout as delay } from 'node:timers/promises'
import { Client } from 'pg'
import { connectionTo } from '../session-settings.ts'

/** `serve` is the one long-running service of a data folder; others `visit`. */
export type Purpose = 'serve' | 'visit'

// Advisory lock keys, unique within the cluster's maintenance database.
const USE_KEY = 7_301_001
const SERVE_KEY = 7_301_002
const SETUP_KEY = 7_301_003

const CONNECT_TIMEOUT_MS = 5_000
// Held for more than an instant only while the server is being stopped or the database created.
const LOCK_TIMEOUT_MS = 30_000
// The server notices within this time that a killed service is gone.
const SERVE_LOCK_TIMEOUT_MS = 500
const REGAIN_ATTEMPTS = 60
const REGAIN_DELAY_MS = 500
const LOCK_NOT_AVAILABLE = '55P03'

/**
 * A lease on a server that several processes share: a shared advisory lock on a connection of its own, which ends with
 * the process. A process that releases its share and then gets the exclusive lock is the last one.
 */
export class ServerLease {
  readonly #url: string
  readonly #purpose: Purpose
  #client: Client | undefined
  #isServing = false
  #releasing = false
  #regaining: Promise<void> = Promise.resolve()

  private constructor(url: string, purpose: Purpose) {
    this.#url = url
    this.#purpose = purpose
  }

  /** Connects to the server and takes a lease. */
  static async take(url: string, purpose: Purpose): Promise<ServerLease> {
    const lease = new ServerLease(url, purpose)
    await lease.#acquire()
    return lease
  }

  /** Whether this is the one serving lease. */
  get isServing(): boolean {
    return this.#isServing
  }

  /** Runs a task on the lease's connection that only one process may run at a time. */
  async exclusively(task: (client: Client) => Promise<void>): Promise<void> {
    const client = this.#client
    if (!client) throw new Error('the connection to the embedded PostgreSQL was lost')
    await lock(client, 'pg_advisory_lock', SETUP_KEY, LOCK_TIMEOUT_MS)
    await task(client)
    await client.query('SELECT pg_advisory_unlock($1)', [SETUP_KEY])
  }

  /** Releases the lease. The last process stops the server, while nobody can take a new lease. */
  async release(stopServer: () => Promise<void>): Promise<void> {
    this.#releasing = true
    await this.#regaining
    // If the connection was lost, try once more, to see whether the server is still running for nobody.
    if (!this.#client) await this.#acquire().catch(() => undefined)
    const client = this.#client
    if (!client) return
    try {
      if (await isLast(client)) await stopServer()
    } finally {
      await client.end()
    }
  }

  async #acquire(): Promise<void> {
    const client = await connect(this.#url)
    try {
      await lock(client, 'pg_advisory_lock_shared', USE_KEY, LOCK_TIMEOUT_MS)
      if (this.#purpose === 'serve') this.#isServing = await tryServe(client)
    } catch (error) {
      await client.end()
      throw error
    }
    this.#client = client
    client.once('end', () => this.#lost())
  }

  // If one backend crashes, PostgreSQL closes all connections but the server stays. Without its lock, this process
  // would no longer count, and the next one to leave would stop the server under it.
  #lost(): void {
    this.#client = undefined
    if (!this.#releasing) this.#regaining = this.#regain()
  }

  async #regain(): Promise<void> {
    for (let attempt = 0; attempt < REGAIN_ATTEMPTS && !this.#releasing && !this.#client; attempt += 1) {
      await this.#acquire().catch(() => delay(REGAIN_DELAY_MS))
    }
  }
}

async function connect(url: string): Promise<Client> {
  const client = new Client({
    ...connectionTo(url),
    ssl: false,
    keepAlive: true,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    application_name: 'employee-ledger lease',
  })
  // Without a listener, an error on the idle connection would end the process.
  client.on('error', () => undefined)
  await client.connect()
  return client
}

type LockFunction = 'pg_advisory_lock' | 'pg_advisory_lock_shared'

async function lock(client: Client, take: LockFunction, key: number, timeoutMs: number): Promise<void> {
  await client.query(`SELECT set_config('lock_timeout', $1, false)`, [String(timeoutMs)])
  await client.query(`SELECT ${take}($1)`, [key])
}

async function tryServe(client: Client): Promise<boolean> {
  try {
    await lock(client, 'pg_advisory_lock', SERVE_KEY, SERVE_LOCK_TIMEOUT_MS)
    return true
  } catch (error) {
    if ((error as { code?: string }).code === LOCK_NOT_AVAILABLE) return false
    throw error
  }
}

// A broken connection means that the server is gone or being stopped.
async function isLast(client: Client): Promise<boolean> {
  try {
    await client.query('SELECT pg_advisory_unlock_all()')
    const { rows } = await client.query<{ last: boolean }>('SELECT pg_try_advisory_lock($1) AS last', [USE_KEY])
    return rows[0]?.last ?? false
  } catch {
    return false
  }
}
