import { readFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { migrateDatabase } from '../../src/bootstrap/maintenance.ts'
import { findDatabaseOsUser } from '../../src/postgres/embedded/database-os-user.ts'
import { openEmbeddedDatabase } from '../../src/postgres/embedded/embedded-postgres.ts'
import { isAlive } from '../../src/postgres/embedded/is-alive.ts'
import { findPostgresBinaries } from '../../src/postgres/embedded/postgres-binaries.ts'
import { startServer, stopServer, findServer } from '../../src/postgres/embedded/postgres-server.ts'
import type { PostgresServer } from '../../src/postgres/embedded/postgres-server.ts'

/** A PostgreSQL server of a test's own, durable as in production, which is killed and started at will. */
export interface Cluster {
  /** The folder of its files. */
  clusterDir: string
  /** The server's process, and where it listens now; another port after each start. */
  pid(): number
  port(): number
  /** Ends it without a word: `SIGKILL` kills the postmaster alone, `SIGQUIT` is an immediate stop. */
  kill(signal: 'SIGKILL' | 'SIGQUIT'): Promise<void>
  start(): Promise<void>
  stop(): Promise<void>
  /** Which absence of the server this is, from when it is gone until it is started again; null while it is there. */
  absence(): number | null
  /** Of roles and their passwords; the port is that of the first start. */
  urls: ClusterUrls
}

interface ClusterUrls {
  superUrl: string
  ownerUrl: string
  serviceUrl: string
}

const START_TRIES = 100
const PAUSE_MS = 50
const DIES_WITHIN_MS = 30_000

/** Makes a cluster in a data folder and brings its database to what the program needs. */
export async function openCluster(dataDir: string, settings: Record<string, string> = {}): Promise<Cluster> {
  const made = await openEmbeddedDatabase({ dataDir, purpose: 'visit' })
  const { ownerUrl, serviceUrl, clusterDir } = made
  await migrateDatabase({ ownerUrl, serviceUrl }, () => undefined)
  const { superuserPassword } = JSON.parse(await readFile(`${dataDir}/database.json`, 'utf8')) as {
    superuserPassword: string
  }
  await made.release()
  const superUrl = Object.assign(new URL(ownerUrl), { username: 'postgres', password: superuserPassword }).href
  return startCluster(clusterDir, { superUrl, ownerUrl, serviceUrl }, settings)
}

/** Starts the server of a cluster whose files are there already. */
export async function startCluster(
  clusterDir: string,
  urls: ClusterUrls,
  settings: Record<string, string> = {},
): Promise<Cluster> {
  const user = await findDatabaseOsUser(clusterDir)
  const server: PostgresServer = { clusterDir, user, binaries: await findPostgresBinaries(user), settings }
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
    ...{ clusterDir, urls, start },
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

/** The addresses of a cluster as it listens now. */
export function urlsNow({ urls, port }: Cluster): ClusterUrls {
  const now = (url: string) => Object.assign(new URL(url), { port: String(port()) }).href
  return { superUrl: now(urls.superUrl), ownerUrl: now(urls.ownerUrl), serviceUrl: now(urls.serviceUrl) }
}
