import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import pg from 'pg'
import type { DatabaseUrls } from '../../src/postgres/database-urls.ts'
import { openEmbeddedDatabase } from '../../src/postgres/embedded/embedded-postgres.ts'

/*
 * The PostgreSQL server of a run. Every peer has its own database on it, so that all peers share settings, disk, and
 * caches.
 */

/** Settings that differ from the defaults or matter for the results: durable, with infrequent checkpoints. */
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

/** The URLs of a database for the superuser and the two roles of the service. */
export interface ServerUrls extends DatabaseUrls {
  superUrl: string
}

export interface BenchServer {
  /** The URLs of one of its databases. */
  urlsOf(database: string): ServerUrls
  /** Creates a database that belongs to the owner role. */
  createDatabase(name: string): Promise<ServerUrls>
  dropDatabase(name: string): Promise<void>
  /** Runs a statement as superuser in this database (default: `postgres`). */
  run<Row extends pg.QueryResultRow>(statement: string, database?: string): Promise<Row[]>
}

/** Runs a task with a server in a temporary folder. `more` are additional settings. */
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

/** Wraps a running server. */
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

/** The default parent of temporary folders. */
export const DEFAULT_PARENT_DIR = os.tmpdir()
