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

/** Where the database may be: at an address, or embedded in the data folder. */
export interface DatabasePlace {
  serviceUrl: string | undefined
  ownerUrl: string | undefined
  dataDir: string
}

/** Finds the database: the one at the address, or without one the embedded server, which is started. */
export async function openFoundDatabase({ serviceUrl, ownerUrl, dataDir }: DatabasePlace, purpose: 'serve' | 'visit'): Promise<OpenedDatabase> {
  if (serviceUrl !== undefined) {
    const urls = { serviceUrl, ownerUrl: ownerUrl ?? serviceUrl }
    await assertReachable(urls.serviceUrl)
    return { urls, isEmbedded: false, release: async () => undefined }
  }
  const embedded = await openEmbeddedDatabase({ dataDir, purpose }).catch((error: unknown) => {
    // What is left are faults of the file system that nobody foresaw, such as a full disk.
    if (!(error instanceof Error && 'syscall' in error)) throw error
    throw new StartupError(`the data folder ${dataDir} cannot be used: ${faultReason(error)}`, { cause: error })
  })
  const { ownerUrl: owner, serviceUrl: service, release } = embedded
  const moved = embedded.movedFrom === undefined ? {} : { movedTo: embedded.clusterDir }
  return { urls: { ownerUrl: owner, serviceUrl: service }, isEmbedded: true, ...moved, release }
}
