import type { Client } from 'pg'
import { createClient } from '../pool.ts'
import { isLockFailure } from '../database-errors.ts'

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

/**
 * A lease on a server that several processes share: a shared advisory lock on a connection of its own, which ends with
 * the process. A process that releases its share and then gets the exclusive lock is the last one.
 */
export class ServerLease {
  /** Whether this is the one serving lease. */
  readonly isServing: boolean
  /** Resolves when the connection ends, and the lease with it. */
  readonly ended: Promise<void>
  readonly #client: Client
  #isEnded = false

  private constructor(client: Client, isServing: boolean) {
    this.#client = client
    this.isServing = isServing
    this.ended = new Promise((resolve) => {
      client.once('end', () => {
        this.#isEnded = true
        resolve()
      })
    })
  }

  /** Connects to the server and takes a lease. */
  static async take(url: string, purpose: Purpose): Promise<ServerLease> {
    const client = await connect(url)
    try {
      await lock(client, 'pg_advisory_lock_shared', USE_KEY, LOCK_TIMEOUT_MS)
      return new ServerLease(client, purpose === 'serve' && (await tryServe(client)))
    } catch (error) {
      await client.end()
      throw error
    }
  }

  /** Whether the connection has ended. */
  get isEnded(): boolean {
    return this.#isEnded
  }

  /** Runs a task on the lease's connection that only one process may run at a time. */
  async exclusively(task: (client: Client) => Promise<void>): Promise<void> {
    await lock(this.#client, 'pg_advisory_lock', SETUP_KEY, LOCK_TIMEOUT_MS)
    await task(this.#client)
    await this.#client.query('SELECT pg_advisory_unlock($1)', [SETUP_KEY])
  }

  /** Releases the lease. The last process stops the server, while nobody can take a new lease. */
  async release(stopServer: () => Promise<void>): Promise<void> {
    try {
      if (await isLast(this.#client)) await stopServer()
    } finally {
      await this.#client.end()
    }
  }
}

async function connect(url: string) {
  const client = createClient({
    connectionString: url,
    ssl: false,
    keepAlive: true,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    application_name: 'employee-ledger lease',
  })
  await client.connect()
  return client
}

type LockFunction = 'pg_advisory_lock' | 'pg_advisory_lock_shared'

async function lock(client: Client, take: LockFunction, key: number, timeoutMs: number) {
  await client.query(`SELECT set_config('lock_timeout', $1, false)`, [String(timeoutMs)])
  await client.query(`SELECT ${take}($1)`, [key])
}

async function tryServe(client: Client) {
  try {
    await lock(client, 'pg_advisory_lock', SERVE_KEY, SERVE_LOCK_TIMEOUT_MS)
    return true
  } catch (error) {
    if (isLockFailure(error)) return false
    throw error
  }
}

// A broken connection means that the server is gone or being stopped.
async function isLast(client: Client) {
  try {
    await client.query('SELECT pg_advisory_unlock_all()')
    const { rows } = await client.query<{ last: boolean }>('SELECT pg_try_advisory_lock($1) AS last', [USE_KEY])
    return rows[0]?.last ?? false
  } catch {
    return false
  }
}
