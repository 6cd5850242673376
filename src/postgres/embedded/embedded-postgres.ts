import { isAbsolute, resolve } from 'node:path'
import type { DatabaseUrls } from '../database-urls.ts'
import { ensureCluster } from './create-cluster.ts'
import { DATABASE_NAME, ensureDatabase, OWNER_NAME, SERVICE_NAME } from './create-database.ts'
import { openDataFolder } from './data-folder.ts'
import { HeldServer, type Holding } from './held-server.ts'
import { databaseUrl } from './join-server.ts'
import { findPostgresBinaries } from './postgres-binaries.ts'
import type { PostgresServer } from './postgres-server.ts'
import type { Purpose } from './server-lease.ts'
import { StartupError } from '../startup-error.ts'

/** A PostgreSQL server that this program runs in a data folder, shared by all processes that use the folder. */
export interface EmbeddedDatabase extends DatabaseUrls {
  /** The cluster's folder. */
  clusterDir: string
  /** The same, if it could not be placed in the data folder. */
  movedTo?: string
  /** Rejects when the server has ended and could not be started again. */
  lost: Promise<never>
  /** Releases the server; the last process to do so stops it. */
  release(): Promise<void>
}

interface EmbeddedDatabaseOptions {
  dataDir: string
  /** One process may `serve` a data folder; any number may `visit` it. */
  purpose: Purpose
  /** Further PostgreSQL settings, used if this process starts the server. */
  settings?: Record<string, string>
  /** Hears that the server was lost, or could not be started again. */
  onTrouble?: Holding['onTrouble'] | undefined
}

/** Opens the database of a data folder. Creates it on first use, and starts the server unless it is running. */
export async function openEmbeddedDatabase(options: EmbeddedDatabaseOptions): Promise<EmbeddedDatabase> {
  const settings = options.settings ?? {}
  const folder = await openDataFolder(resolve(options.dataDir))
  const { clusterDir, user, record } = folder
  const binaries = await findPostgresBinaries(user)
  await ensureCluster(folder, binaries, settings['fsync'] !== 'off')

  const server: PostgresServer = { clusterDir, user, binaries, settings }
  const held = await HeldServer.hold(server, {
    password: record.superuserPassword,
    purpose: options.purpose,
    onTrouble: options.onTrouble ?? (() => undefined),
  })
  let released: Promise<void> | undefined
  const release = () => (released ??= held.release())
  try {
    if (options.purpose === 'serve' && !held.lease.isServing) {
      throw new StartupError(`employee-ledger is already running on ${folder.dataDir}`)
    }
    await held.lease.exclusively((client) => ensureDatabase(client, record))
  } catch (error) {
    await release()
    throw error
  }
  return {
    ownerUrl: databaseUrl(OWNER_NAME, record.ownerPassword, held.port, DATABASE_NAME),
    serviceUrl: databaseUrl(SERVICE_NAME, record.servicePassword, held.port, DATABASE_NAME),
    clusterDir,
    ...(isAbsolute(record.cluster) ? { movedTo: clusterDir } : {}),
    lost: held.lost,
    release,
  }
}
