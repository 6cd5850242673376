import { isAbsolute, resolve } from 'node:path'
import type { DatabaseUrls } from '#postgres/database-urls'
import { ensureCluster, DATABASE_NAME, ensureDatabase, OWNER_NAME, SERVICE_NAME } from './create-cluster.ts'
import { openDataFolder } from './data-folder.ts'
import { HeldServer, type Holding, databaseUrl } from './held-server.ts'
import { type PostgresServer, findPostgresBinaries } from './postgres-server.ts'
import type { Purpose } from './server-lease.ts'
import { StartupError, errorReason } from '#postgres/startup-error'
import type { Config } from '#config'
import { assertReachable } from '#postgres/pooler'

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

export interface OpenedDatabase extends Pick<EmbeddedDatabase, 'movedTo' | 'lost' | 'release'> {
  urls: DatabaseUrls
  isEmbedded: boolean
}

/**
 * Opens the database that DATABASE_URL names, or else the embedded server in DATA_DIR. `onTrouble` hears that the
 * embedded server was lost, or could not be started again.
 */
export async function findDatabase(
  config: Pick<Config, 'DATABASE_URL' | 'MIGRATE_DATABASE_URL' | 'DATA_DIR'>,
  purpose: 'serve' | 'visit',
  onTrouble?: Holding['onTrouble'],
): Promise<OpenedDatabase> {
  const { DATABASE_URL: serviceUrl, MIGRATE_DATABASE_URL: ownerUrl } = config
  if (serviceUrl !== undefined) {
    const urls = { serviceUrl, ownerUrl: ownerUrl ?? serviceUrl }
    await assertReachable(serviceUrl, 'DATABASE_URL')
    return { urls, isEmbedded: false, lost: new Promise(() => undefined), release: async () => undefined }
  }
  const embedded = await openEmbeddedDatabase({ dataDir: config.DATA_DIR, purpose, onTrouble }).catch(
    (error: unknown) => {
      // Only unexpected file system errors remain, such as a full disk.
      if (!(error instanceof Error && 'syscall' in error)) throw error
      throw new StartupError(`the data folder ${config.DATA_DIR} cannot be used: ${errorReason(error)}`, {
        cause: error,
      })
    },
  )
  return { urls: embedded, isEmbedded: true, ...embedded }
}
