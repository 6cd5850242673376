import { randomUUID } from 'node:crypto'
import { link, open, readFile, rename, rm, stat, type FileHandle } from 'node:fs/promises'
import { dirname } from 'node:path'

const OWNER_ALONE = 0o600

/**
 * Writes a file that only its owner can read. Writes to a temporary file and renames it, so that no reader sees a
 * partial file.
 */
export async function writeDurably(file: string, text: string): Promise<void> {
  const beside = `${file}.${randomUUID()}.part`
  try {
    const handle = await open(beside, 'w', OWNER_ALONE)
    try {
      await handle.writeFile(text)
      await keepOwner(handle, file)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(beside, file)
  } catch (error) {
    await rm(beside, { force: true })
    throw error
  }
  await syncFolder(dirname(file))
}

/** Gives a new file the owner of the one that it replaces, so that whoever could read that one still can. */
async function keepOwner(handle: FileHandle, replaced: string): Promise<void> {
  const [made, old] = [await handle.stat(), await stat(replaced).catch(() => null)]
  if (old && (old.uid !== made.uid || old.gid !== made.gid)) await handle.chown(old.uid, old.gid)
}

/** Syncs a folder, so that a new file in it survives a power failure. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/**
 * Creates a file that only its owner can read, unless it exists. If several processes do this at once, the first one
 * wins. Returns whether this call created it.
 */
export async function createDurably(file: string, text: string): Promise<boolean> {
  const beside = `${file}.${randomUUID()}`
  await writeDurably(beside, text)
  try {
    await link(beside, file)
    await syncFolder(dirname(file))
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  } finally {
    await rm(beside, { force: true })
  }
}

/** Reads a text file; null if it does not exist. */
export async function readIfExists(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}
