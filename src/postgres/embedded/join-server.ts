import { setTimeout as delay } from 'node:timers/promises'
import { StartupError } from '../startup-error.ts'
import { SUPERUSER_NAME } from './create-cluster.ts'
import { findServer, LOOPBACK, startServer, type PostgresServer } from './postgres-server.ts'
import { ServerLease, type Purpose } from './server-lease.ts'

// How long to retry while others start and stop the server, or its port is taken.
const JOIN_TIMEOUT_MS = 30_000
// A server that is recovering from a crash says so and gets more time.
const RECOVERY_TIMEOUT_MS = 300_000
const JOIN_DELAY_MS = 50
const CANNOT_CONNECT_NOW = '57P03'
const MAINTENANCE_DATABASE = 'postgres'

/** Who joins a server, and with which password. */
export interface Joining {
  password: string
  purpose: Purpose
}

/** A lease on a running server, and the server's port. */
export interface JoinedServer {
  lease: ServerLease
  port: number
}

/**
 * Takes a lease on the running server, or starts it first. Others may start or stop it or take its port in between, so
 * each step may fail and is retried. `signal` ends the waiting.
 */
export async function joinServer(
  server: PostgresServer,
  joining: Joining,
  signal?: AbortSignal,
): Promise<JoinedServer> {
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
export async function tryJoin(clusterDir: string, { password, purpose }: Joining): Promise<JoinedServer | FailedJoin> {
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
export function databaseUrl(user: string, password: string, port: number, database: string): string {
  return `postgres://${user}:${password}@${LOOPBACK}:${port}/${database}`
}
