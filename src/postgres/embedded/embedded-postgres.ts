import { resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { ensureCluster, SUPERUSER_NAME } from './create-cluster.ts'
import { DATABASE_NAME, ensureDatabase, OWNER_NAME, SERVICE_NAME } from './create-database.ts'
import { openDataFolder } from './data-folder.ts'
import { findPostgresBinaries } from './postgres-binaries.ts'
import { LOOPBACK, startServer, stopServer, findServer, type PostgresServer } from './postgres-server.ts'
import { ServerLease, type Purpose } from './server-lease.ts'
import { StartupError } from '../startup-error.ts'

// How long to retry while others start and stop the server, or its port is taken.
const JOIN_TIMEOUT_MS = 30_000
// A server that is recovering from a crash says so and gets more time.
const RECOVERY_TIMEOUT_MS = 300_000
const JOIN_DELAY_MS = 50
const CANNOT_CONNECT_NOW = '57P03'
const MAINTENANCE_DATABASE = 'postgres'

/** A PostgreSQL server that this program runs in a data folder, shared by all processes that use the folder. */
export interface EmbeddedDatabase {
  /** For the role that owns the schema and runs migrations. */
  ownerUrl: string
  /** For the least-privileged role of the service. */
  serviceUrl: string
  /** The cluster's folder. */
  clusterDir: string
  /** The default cluster folder, if the cluster had to be placed elsewhere. */
  movedFrom?: string
  /** Releases the server; the last process to do so stops it. */
  release(): Promise<void>
}

interface EmbeddedDatabaseOptions {
  dataDir: string
  /** One process may `serve` a data folder; any number may `visit` it. */
  purpose: Purpose
  /** Further PostgreSQL settings, used if this process starts the server. */
  settings?: Record<string, string>
}

/** Opens the database of a data folder. Creates it on first use, and starts the server unless it is running. */
export async function openEmbeddedDatabase(options: EmbeddedDatabaseOptions): Promise<EmbeddedDatabase> {
  const settings = options.settings ?? {}
  const folder = await openDataFolder(resolve(options.dataDir))
  const { clusterDir, movedFrom, user, record } = folder
  const binaries = await findPostgresBinaries(user)
  await ensureCluster(folder, binaries, settings['fsync'] !== 'off')

  const server: PostgresServer = { clusterDir, user, binaries, settings }
  const { lease, port } = await joinServer(server, record.superuserPassword, options.purpose)
  let released: Promise<void> | undefined
  const release = () => (released ??= lease.release(() => stopServer(server)))
  try {
    if (options.purpose === 'serve' && !lease.isServing) {
      throw new StartupError(`employee-ledger is already running on ${folder.dataDir}`)
    }
    await lease.exclusively((client) => ensureDatabase(client, record))
  } catch (error) {
    await release()
    throw error
  }
  return {
    ownerUrl: databaseUrl(OWNER_NAME, record.ownerPassword, port, DATABASE_NAME),
    serviceUrl: databaseUrl(SERVICE_NAME, record.servicePassword, port, DATABASE_NAME),
    clusterDir,
    ...(movedFrom === undefined ? {} : { movedFrom }),
    release,
  }
}

interface JoinedServer {
  lease: ServerLease
  port: number
}

// Takes a lease on the running server, or starts it first. Others may start or stop it or take its port in between, so
// each step may fail and is retried.
async function joinServer(server: PostgresServer, password: string, purpose: Purpose): Promise<JoinedServer> {
  const started = Date.now()
  let startFault: string | undefined
  for (;;) {
    const attempt = await tryJoin(server.clusterDir, password, purpose)
    if ('lease' in attempt) return attempt
    const timeoutMs = attempt.isStarting ? RECOVERY_TIMEOUT_MS : JOIN_TIMEOUT_MS
    if (Date.now() - started > timeoutMs) {
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

type Attempt = JoinedServer | FailedJoin

async function tryJoin(clusterDir: string, password: string, purpose: Purpose): Promise<Attempt> {
  const found = await findServer(clusterDir)
  if (found === undefined) return { fault: 'it is not running', isStarting: false }
  try {
    const url = databaseUrl(SUPERUSER_NAME, password, found.port, MAINTENANCE_DATABASE)
    return { lease: await ServerLease.take(url, purpose), port: found.port }
  } catch (error) {
    const { code, message } = error as { code?: string; message: string }
    return { fault: message, isStarting: code === CANNOT_CONNECT_NOW }
  }
}

function databaseUrl(user: string, password: string, port: number, database: string): string {
  return `postgres://${user}:${password}@${LOOPBACK}:${port}/${database}`
}
