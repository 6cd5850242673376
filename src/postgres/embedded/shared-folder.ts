import { chmod, lstat, mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { canEnter, type DatabaseOsUser } from './database-os-user.ts'
import { isErrno } from '../../files/errno.ts'
import { StartupError } from '../startup-error.ts'

const FOLDER_NAME = 'employee-ledger'
const WRITABLE_BY_OTHERS = 0o022

/** A folder outside the data folder that the database's OS user can enter. */
export async function sharedFolder(user: DatabaseOsUser): Promise<string> {
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
async function makeOwnFolder(folder: string): Promise<boolean> {
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
