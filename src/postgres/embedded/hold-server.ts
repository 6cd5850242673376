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
export interface Holding extends Omit<Joining, 'signal'> {
  onTrouble: (trouble: string, error?: unknown) => void
}

/** A server that this process keeps running. */
export interface HeldServer {
  /** Its first lease. */
  lease: ServerLease
  port: number
  /** Rejects once the server is given up. */
  lost: Promise<never>
  /** Releases the server; the last process to do so stops it. */
  release(): Promise<void>
}

/**
 * Joins a server, and joins it again whenever the connection is lost: PostgreSQL closes all connections if one of its
 * processes crashes, and if its main process is killed or the disk is full, it ends. Then those who hold it start it
 * again, at the port that their pools know. The number of attempts is bounded.
 */
export async function holdServer(server: PostgresServer, { onTrouble, ...who }: Holding): Promise<HeldServer> {
  const leaving = new AbortController()
  const { signal } = leaving
  const first = await joinServer(server, { ...who, signal })
  let lease: ServerLease | undefined = first.lease
  let attempts = 0

  async function keep(): Promise<never> {
    for (;;) {
      const since = performance.now()
      await Promise.race([lease?.ended, aborted(signal)])
      signal.throwIfAborted()
      lease = undefined
      if (performance.now() - since > STEADY_MS) attempts = 0
      onTrouble('lost PostgreSQL; starting it again, unless it still runs')
      const joined = await regain()
      lease = joined.lease
      if (joined.port !== first.port || lease.isServing !== first.lease.isServing)
        throw new StartupError(
          `another process has started PostgreSQL in ${server.clusterDir} in its own way: start again`,
        )
    }
  }

  async function regain(): Promise<JoinedServer> {
    for (;;) {
      const pause = PAUSES_MS[attempts]
      if (pause === undefined) throw new StartupError(`PostgreSQL in ${server.clusterDir} ends again and again`)
      attempts += 1
      await delay(pause, undefined, { signal })
      try {
        return await joinServer({ ...server, port: first.port }, { ...who, signal })
      } catch (error) {
        if (signal.aborted || attempts === PAUSES_MS.length) throw error
        onTrouble('could not start PostgreSQL again; trying once more', error)
      }
    }
  }

  const lost = keep()
  // Who doesn't wait for it notices at the next statement. It rejects on a release, too.
  const ended = lost.catch(() => undefined)
  return {
    lease: first.lease,
    port: first.port,
    lost,
    async release() {
      leaving.abort()
      await ended
      // Without a lease, look once more: the server may run for nobody.
      if (!lease || lease.isEnded) lease = await findLease(server, who)
      await lease?.release(() => stopServer(server))
    },
  }
}

async function findLease(
  { clusterDir }: PostgresServer,
  who: Omit<Joining, 'signal'>,
): Promise<ServerLease | undefined> {
  const attempt = await tryJoin(clusterDir, who)
  return 'lease' in attempt ? attempt.lease : undefined
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
