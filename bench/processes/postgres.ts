import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import pg from 'pg'
import type { DatabaseUrls } from '../../src/postgres/database-urls.ts'
import { openEmbeddedDatabase } from '../../src/postgres/embedded/embedded-postgres.ts'

/*
 * The one PostgreSQL server of a run. Every peer has a database of its own on it, so that all of them live with the same
 * settings, the same disk and the same caches.
 */

/** What is not PostgreSQL's default, or is worth being told: durable, and with room enough not to checkpoint all the time. */
export const SETTINGS: Record<string, string> = {
  max_connections: '300',
  shared_buffers: '2GB',
  effective_cache_size: '6GB',
  max_wal_size: '16GB',
  checkpoint_timeout: '30min',
  random_page_cost: '1.1',
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  wal_compression: 'off',
  autovacuum: 'on',
  jit: 'off',
}

/** The addresses of a server: of its superuser, and of the two roles that the program uses. */
export interface ServerUrls extends DatabaseUrls {
  superUrl: string
}

export interface BenchServer {
  /** The addresses of a database of it. */
  urlsOf(database: string): ServerUrls
  /** Makes a database that the owner's role owns. */
  createDatabase(name: string): Promise<ServerUrls>
  dropDatabase(name: string): Promise<void>
  /** Runs a statement as superuser, in this database or in the server's own. */
  run<Row extends pg.QueryResultRow>(statement: string, database?: string): Promise<Row[]>
}

/** Runs a task with a server in a folder that is thrown away afterwards. `more` are further settings. */
export async function withThrowawayServer<Result>(
  parentDir: string,
  more: Record<string, string>,
  task: (server: BenchServer, dataDir: string) => Promise<Result>,
): Promise<Result> {
  const dataDir = await mkdtemp(path.join(parentDir, 'employee-ledger-bench-'))
  // The server may run as another user of the operating system.
  await chmod(dataDir, 0o755)
  let release: (() => Promise<void>) | undefined
  const cleanUp = async () => {
    await release?.()
    await rm(dataDir, { recursive: true, force: true })
  }
  const onSignal = () => void cleanUp().finally(() => process.exit(130))
  process.once('SIGINT', onSignal).once('SIGTERM', onSignal)
  try {
    const embedded = await openEmbeddedDatabase({ dataDir, purpose: 'visit', settings: { ...SETTINGS, ...more } })
    release = embedded.release
    const record = JSON.parse(await readFile(path.join(dataDir, 'database.json'), 'utf8')) as {
      superuserPassword: string
    }
    const superUrl = new URL(embedded.ownerUrl)
    Object.assign(superUrl, { username: 'postgres', password: record.superuserPassword, pathname: '/postgres' })
    return await task(serverAt({ ...embedded, superUrl: superUrl.href }), dataDir)
  } finally {
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal)
    await cleanUp()
  }
}

/** A server that runs already. */
export function serverAt(urls: ServerUrls): BenchServer {
  const on = (url: string, name: string) => Object.assign(new URL(url), { pathname: `/${name}` }).href
  const { superUrl } = urls
  async function run<Row extends pg.QueryResultRow>(statement: string, database?: string): Promise<Row[]> {
    const client = new pg.Client({ connectionString: database === undefined ? superUrl : on(superUrl, database) })
    await client.connect()
    try {
      return (await client.query<Row>(statement)).rows
    } finally {
      await client.end()
    }
  }
  const urlsOf = (name: string) => ({
    superUrl: on(superUrl, name),
    ownerUrl: on(urls.ownerUrl, name),
    serviceUrl: on(urls.serviceUrl, name),
  })
  return {
    run,
    urlsOf,
    async createDatabase(name) {
      await run(`create database ${name} owner ledger_owner`)
      return urlsOf(name)
    },
    async dropDatabase(name) {
      await run(`drop database if exists ${name} with (force)`)
    },
  }
}

/** Where throw-away folders go when nothing else is said. */
export const DEFAULT_PARENT_DIR = os.tmpdir()
