import type { Config } from '../../config.ts'
import type { DatabaseUrls } from '../database-urls.ts'
import { openEmbeddedDatabase, type EmbeddedDatabase } from './embedded-postgres.ts'
import { errorReason, StartupError } from '../startup-error.ts'
import type { Holding } from './held-server.ts'
import { assertOwnSessions } from '../pooler.ts'

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
    await assertReachable(urls.serviceUrl)
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

/** Throws StartupError if the database of DATABASE_URL does not answer, or its sessions are shared. */
async function assertReachable(url: string): Promise<void> {
  try {
    await assertOwnSessions(url, 'DATABASE_URL')
  } catch (error) {
    if (error instanceof StartupError) throw error
    throw new StartupError(`the database of DATABASE_URL cannot be used: ${errorReason(error)}`, { cause: error })
  }
}
