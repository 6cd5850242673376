import { readFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { migrateDatabase } from '../../src/bootstrap/store.ts'
import { findDatabaseOsUser } from '../../src/postgres/embedded/database-os-user.ts'
import { openEmbeddedDatabase } from '../../src/postgres/embedded/embedded-postgres.ts'
import { isAlive } from '../../src/files/unfinished.ts'
import {
  startServer,
  stopServer,
  findServer,
  type PostgresServer,
  findPostgresBinaries,
} from '../../src/postgres/embedded/postgres-server.ts'

/** A test's own PostgreSQL server, durable as in production, which the test kills and starts at will. */
export interface Cluster {
  /** The folder with its files. */
  clusterDir: string
  /** The server's process, and its current port, which changes with each start. */
  pid(): number
  port(): number
  /** Kills it: `SIGKILL` kills only the postmaster, `SIGQUIT` is an immediate shutdown. */
  kill(signal: 'SIGKILL' | 'SIGQUIT'): Promise<void>
  start(): Promise<void>
  stop(): Promise<void>
  /** The number of the current absence, from the server's end to its next start; null while it runs. */
  absence(): number | null
  /** The addresses with roles and passwords; the port is from the first start. */
  urls: ClusterUrls
}

export interface ClusterUrls {
  superUrl: string
  ownerUrl: string
  serviceUrl: string
}

const START_TRIES = 100
const PAUSE_MS = 50
/**
 * Even after SIGQUIT, PostgreSQL 15 waits for clients that have connected and not signed in: `authentication_timeout`.
 * On a cluster, such a client can be another machine that waits for this one, to cancel a statement.
 */
const DIES_WITHIN_MS = 30_000

/** Makes a cluster in a data folder and migrates its database, to this version unless told otherwise. */
export async function openCluster(
  dataDir: string,
  settings: Record<string, string> = {},
  migrate: (urls: Omit<ClusterUrls, 'superUrl'>) => Promise<unknown> = (urls) => migrateDatabase(urls, () => undefined),
): Promise<Cluster> {
  const made = await openEmbeddedDatabase({ dataDir, purpose: 'visit' })
  const { ownerUrl, serviceUrl, clusterDir } = made
  await migrate({ ownerUrl, serviceUrl })
  const { superuserPassword } = JSON.parse(await readFile(`${dataDir}/database.json`, 'utf8')) as {
    superuserPassword: string
  }
  await made.release()
  const superUrl = Object.assign(new URL(ownerUrl), { username: 'postgres', password: superuserPassword }).href
  return startCluster(clusterDir, { superUrl, ownerUrl, serviceUrl }, settings)
}

/**
 * Starts a cluster's server on existing files, with the embedded programs or those of `pgCtl`. With a port, it is there
 * after each start.
 */
export async function startCluster(
  clusterDir: string,
  urls: ClusterUrls,
  settings: Record<string, string> = {},
  { pgCtl, port }: { pgCtl?: string; port?: number } = {},
): Promise<Cluster> {
  const user = await findDatabaseOsUser(clusterDir)
  const binaries = pgCtl === undefined ? await findPostgresBinaries(user) : { pgCtl }
  const server: PostgresServer = { clusterDir, user, binaries, settings, ...(port === undefined ? {} : { port }) }
  let trace = { pid: 0, port: 0 }
  let [absences, isAway] = [0, false]
  const start = async () => {
    isAway = false
    for (let tries = 0; ; tries += 1) {
      const fault = await startServer(server)
      if (fault === undefined) break
      if (tries >= START_TRIES) throw new Error(`PostgreSQL does not start: ${fault}`)
      await pause(PAUSE_MS)
    }
    trace = (await findServer(clusterDir))!
  }
  await start()
  return {
    clusterDir,
    urls,
    start,
    pid: () => trace.pid,
    port: () => trace.port,
    stop: () => stopServer(server),
    absence: () => (isAway ? absences : null),
    async kill(signal) {
      const { pid } = trace
      process.kill(pid, signal)
      const deadline = performance.now() + DIES_WITHIN_MS
      while (isAlive(pid)) {
        if (performance.now() > deadline)
          throw new Error(`PostgreSQL (process ${pid}) has not ended within ${DIES_WITHIN_MS} ms of ${signal}`)
        await pause(PAUSE_MS)
      }
      absences += 1
      // Without its postmaster a backend still answers for a moment.
      isAway = signal === 'SIGQUIT'
    },
  }
}

/** A cluster's addresses with the current port. */
export function urlsNow({ urls, port }: Cluster): ClusterUrls {
  const now = (url: string) => Object.assign(new URL(url), { port: String(port()) }).href
  return { superUrl: now(urls.superUrl), ownerUrl: now(urls.ownerUrl), serviceUrl: now(urls.serviceUrl) }
}
