import { createHash } from 'node:crypto'
import { access, constants, readFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { canEnter, findDatabaseOsUser, type DatabaseOsUser } from './database-os-user.ts'
import { createRecord, readRecord, recordPath, type DatabaseRecord } from './database-record.ts'
import { isErrno } from '../../files/errno.ts'
import { makeFolder } from './make-folder.ts'
import { sharedFolder } from './shared-folder.ts'
import { StartupError } from '../startup-error.ts'
import { sweepUnfinished } from '../../files/unfinished.ts'

const CLUSTER_NAME = 'postgres'

/** A data folder that is ready to hold a cluster, and the user that runs PostgreSQL. */
export interface DataFolder {
  dataDir: string
  clusterDir: string
  user: DatabaseOsUser
  record: DatabaseRecord
}

/** Creates the data folder if necessary, and finds or decides where its cluster is. */
export async function openDataFolder(dataDir: string): Promise<DataFolder> {
  await makeWritable(dataDir)
  await sweepUnfinished(dataDir)
  const databaseRecord = await readRecord(dataDir)
  const user = await findDatabaseOsUser(resolve(dataDir, databaseRecord?.cluster ?? CLUSTER_NAME))
  const record = databaseRecord ?? (await createRecord(dataDir, await chooseCluster(dataDir, user)))
  const clusterDir = resolve(dataDir, record.cluster)
  await prepareParent(clusterDir, user)
  return { dataDir, clusterDir, user, record }
}

async function makeWritable(dataDir: string): Promise<void> {
  try {
    await makeFolder(dataDir)
    await access(dataDir, constants.W_OK | constants.X_OK)
  } catch (error) {
    if (isErrno(error, 'EEXIST', 'ENOTDIR')) throw new StartupError(`the data folder ${dataDir} is not a folder`)
    if (!isErrno(error, 'EACCES', 'EPERM', 'EROFS')) throw error
    throw new StartupError(`the data folder ${dataDir} is not writable by the user who runs this program`)
  }
}

async function chooseCluster(dataDir: string, user: DatabaseOsUser): Promise<string> {
  const cluster = (await canEnter(user, dataDir)) ? CLUSTER_NAME : await clusterElsewhere(dataDir, user)
  const clusterDir = resolve(dataDir, cluster)
  // The record is always written before the cluster. A cluster without a record has lost its passwords; it is not one
  // that another process is creating.
  if ((await clusterVersion(clusterDir)) !== undefined && (await readRecord(dataDir)) === undefined) {
    throw new StartupError(`${recordPath(dataDir)}, which holds the passwords of ${clusterDir}, is missing`)
  }
  return cluster
}

// The name depends only on the data folder, so the next start finds it even without a record.
async function clusterElsewhere(dataDir: string, user: DatabaseOsUser): Promise<string> {
  const hash = createHash('sha256').update(dataDir).digest('hex').slice(0, 8)
  return join(await sharedFolder(user), `${basename(dataDir)}-${hash}`, CLUSTER_NAME)
}

async function prepareParent(clusterDir: string, user: DatabaseOsUser): Promise<void> {
  const parent = dirname(clusterDir)
  await makeFolder(parent)
  await sweepUnfinished(parent)
  if (await canEnter(user, parent)) return
  throw new StartupError(`${user.name} cannot enter ${parent}, where the database is`)
}

/** The version of PostgreSQL that made a cluster; undefined if there is none. */
export async function clusterVersion(clusterDir: string): Promise<string | undefined> {
  try {
    return (await readFile(join(clusterDir, 'PG_VERSION'), 'utf8')).trim()
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return undefined
    if (isErrno(error, 'EACCES')) throw new StartupError(`${clusterDir} belongs to another user`)
    if (isErrno(error, 'ENOTDIR')) throw new StartupError(`${clusterDir} is not a folder`)
    throw error
  }
}
