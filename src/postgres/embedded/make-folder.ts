import { chmod, mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { isErrno } from './errno.ts'

// The OS user of the database passes through the folder, but need not list it.
const FOLDER_MODE = 0o711

/** Makes a folder and those above it, as far as they are missing. */
export async function makeFolder(folder: string): Promise<void> {
  // Not with `recursive`: where no folder can be made, as in /proc, Node.js would go on trying for ever.
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
  // The umask may have taken away more than we want.
  await chmod(folder, FOLDER_MODE)
}
