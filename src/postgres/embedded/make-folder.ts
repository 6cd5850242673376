import { chmod, mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { isErrno } from '../../files/errno.ts'

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

async function makeOne(folder: string): Promise<void> {
  try {
    await mkdir(folder, FOLDER_MODE)
  } catch (error) {
    if (isErrno(error, 'EEXIST') && (await stat(folder)).isDirectory()) return
    throw error
  }
  // The umask may have removed permissions.
  await chmod(folder, FOLDER_MODE)
}
