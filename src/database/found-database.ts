import { assertReachable } from './assert-reachable.ts'
import type { DatabaseUrls } from './database-urls.ts'
import { openEmbeddedDatabase } from './embedded-postgres.ts'
import { faultReason } from './fault-reason.ts'
import { StartupError } from './startup-error.ts'

export interface OpenedDatabase {
  urls: DatabaseUrls
  isEmbedded: boolean
  /** Set when the embedded server's files could not live in the data folder: where they are instead. */
  movedTo?: string
  release(): Promise<void>
}

export interface DatabasePlace {
  /** The database to use; undefined: the embedded server in `dataDir`. */
  serviceUrl: string | undefined
  /** The same as the role that owns its tables; undefined: that of `serviceUrl`. */
  ownerUrl: string | undefined
  dataDir: string
  purpose: 'serve' | 'visit'
}

/** Opens the database that is named, or else the embedded server in the data folder. */
export async function openFoundDatabase({ serviceUrl, ownerUrl, dataDir, purpose }: DatabasePlace): Promise<OpenedDatabase> {
  if (serviceUrl !== undefined) {
    await assertReachable(serviceUrl)
    return { urls: { serviceUrl, ownerUrl: ownerUrl ?? serviceUrl }, isEmbedded: false, release: async () => undefined }
  }
  const embedded = await openEmbeddedDatabase({ dataDir, purpose }).catch((error: unknown) => {
    // What is left are faults of the file system that nobody foresaw, such as a full disk.
    if (!(error instanceof Error && 'syscall' in error)) throw error
    throw new StartupError(`the data folder ${dataDir} cannot be used: ${faultReason(error)}`, { cause: error })
  })
  const moved = embedded.movedFrom === undefined ? {} : { movedTo: embedded.clusterDir }
  return { urls: { ownerUrl: embedded.ownerUrl, serviceUrl: embedded.serviceUrl }, isEmbedded: true, ...moved, release: embedded.release }
}
