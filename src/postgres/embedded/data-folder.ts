import { createHash, randomBytes } from 'node:crypto'
import { access, constants, readFile, chmod, mkdir, stat, lstat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { canEnter, findDatabaseOsUser, type DatabaseOsUser } from './database-os-user.ts'
import { isErrno } from '#files/errno'
import { StartupError, errorReason } from '#postgres/startup-error'
import { sweepUnfinished } from '#files/unfinished'
import { tmpdir } from 'node:os'
import { createDurably, readIfExists } from '#files/durable-file'

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

async function makeWritable(dataDir: string) {
  try {
    await makeFolder(dataDir)
    await access(dataDir, constants.W_OK | constants.X_OK)
  } catch (error) {
    if (isErrno(error, 'EEXIST', 'ENOTDIR')) throw new StartupError(`the data folder ${dataDir} is not a folder`)
    if (!isErrno(error, 'EACCES', 'EPERM', 'EROFS')) throw error
    throw new StartupError(`the data folder ${dataDir} is not writable by the user who runs this program`)
  }
}

async function chooseCluster(dataDir: string, user: DatabaseOsUser) {
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
async function clusterElsewhere(dataDir: string, user: DatabaseOsUser) {
  const hash = createHash('sha256').update(dataDir).digest('hex').slice(0, 8)
  return join(await sharedFolder(user), `${basename(dataDir)}-${hash}`, CLUSTER_NAME)
}

async function prepareParent(clusterDir: string, user: DatabaseOsUser) {
  const parent = dirname(clusterDir)
  await makeFolder(parent)
  await sweepUnfinished(parent)
  if (await canEnter(user, parent)) return
  throw new StartupError(`${user.name} cannot enter ${parent}, where the database is`)
}

/** The version of PostgreSQL that made a cluster; undefined if there is none. */
export async function clusterVersion(clusterDir: string) {
  try {
    return (await readFile(join(clusterDir, 'PG_VERSION'), 'utf8')).trim()
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return undefined
    if (isErrno(error, 'EACCES')) throw new StartupError(`${clusterDir} belongs to another user`)
    if (isErrno(error, 'ENOTDIR')) throw new StartupError(`${clusterDir} is not a folder`)
    throw error
  }
}

// The database's OS user must pass through the folder, but need not list it.
const FOLDER_MODE = 0o711

/** Creates a folder and its missing parents. */
export async function makeFolder(folder: string): Promise<void> {
  // Not `recursive`: where no folder can be created, as in /proc, Node.js would retry forever.
  try {
    await makeOne(folder)
  } catch (error) {
    if (!isErrno(error, 'ENOENT') || dirname(folder) === folder) throw error
    await makeFolder(dirname(folder))
    await makeOne(folder)
  }
}

async function makeOne(folder: string) {
  try {
    await mkdir(folder, FOLDER_MODE)
  } catch (error) {
    if (isErrno(error, 'EEXIST') && (await stat(folder)).isDirectory()) return
    throw error
  }
  // The umask may have removed permissions.
  await chmod(folder, FOLDER_MODE)
}

const FOLDER_NAME = 'employee-ledger'
const WRITABLE_BY_OTHERS = 0o022

/** A folder outside the data folder that the database's OS user can enter. */
export async function sharedFolder(user: DatabaseOsUser) {
  for (const parent of ['/var/lib', tmpdir()]) {
    const folder = join(parent, FOLDER_NAME)
    if ((await makeOwnFolder(folder)) && (await canEnter(user, folder))) return folder
  }
  throw new StartupError(
    `${user.name} can enter neither the data folder nor a folder in /var/lib or ${tmpdir()}: ` +
      'choose another data folder, or set DATABASE_URL',
  )
}

// In a temporary folder, anybody may have created the name first: refuse a folder that others own or can write to.
async function makeOwnFolder(folder: string) {
  try {
    await mkdir(folder)
    await chmod(folder, 0o755)
  } catch (error) {
    if (isErrno(error, 'EACCES', 'EROFS', 'ENOENT', 'ENOTDIR')) return false
    if (!isErrno(error, 'EEXIST')) throw error
  }
  const stats = await lstat(folder)
  return stats.isDirectory() && stats.uid === process.getuid?.() && (stats.mode & WRITABLE_BY_OTHERS) === 0
}

const RECORD_NAME = 'database.json'
const PASSWORD_BYTES = 24

/** The content of the data folder's `database.json`: the place of the cluster, and the passwords of its roles. */
export interface DatabaseRecord {
  /** Relative to the data folder, or absolute if the cluster is elsewhere. */
  cluster: string
  superuserPassword: string
  ownerPassword: string
  servicePassword: string
}

/** The path of a data folder's record. */
function recordPath(dataDir: string) {
  return join(dataDir, RECORD_NAME)
}

/** Reads the record; undefined if there is none yet. */
async function readRecord(dataDir: string) {
  const path = recordPath(dataDir)
  try {
    const text = await readIfExists(path)
    return text === null ? undefined : parseRecord(text)
  } catch (error) {
    if (isErrno(error, 'EACCES')) throw new StartupError(`${path} belongs to another user who ran this program before`)
    throw new StartupError(`${path} cannot be read: ${errorReason(error)}`)
  }
}

/** Writes the first record, with new passwords. If two processes do this at once, both use the first record. */
async function createRecord(dataDir: string, cluster: string) {
  const path = recordPath(dataDir)
  await createDurably(path, `${JSON.stringify(newRecord(cluster), null, 2)}\n`)
  const record = await readRecord(dataDir)
  if (record === undefined) throw new StartupError(`${path} was removed while the program was starting`)
  return record
}

function parseRecord(text: string) {
  const record = JSON.parse(text) as DatabaseRecord
  for (const field of ['cluster', 'superuserPassword', 'ownerPassword', 'servicePassword'] as const) {
    if (typeof record[field] !== 'string' || record[field] === '') throw new Error(`${field} is missing`)
  }
  return record
}

function newRecord(cluster: string): DatabaseRecord {
  return {
    cluster,
    superuserPassword: newPassword(),
    ownerPassword: newPassword(),
    servicePassword: newPassword(),
  }
}

// base64url needs no escaping in URLs.
function newPassword() {
  return randomBytes(PASSWORD_BYTES).toString('base64url')
}
