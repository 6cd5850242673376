import { link, open, readFile, rename, stat, type FileHandle } from 'node:fs/promises'
import { dirname } from 'node:path'
import { isErrno } from './errno.ts'
import { discardUnfinished, unfinishedPath } from './unfinished.ts'

const OWNER_ALONE = 0o600

type Content = string | Iterable<string> | AsyncIterable<string | Uint8Array>

/**
 * Writes a file that only its owner can read. Writes to a temporary file and renames it, so that no reader sees a
 * partial file.
 */
export async function writeDurably(file: string, content: Content, signal?: AbortSignal): Promise<void> {
  await writeBeside(file, content, (unfinished) => rename(unfinished, file), signal)
}

/**
 * Creates a file that only its owner can read, unless it exists. If several processes do this at once, the first one
 * wins: unlike a rename, a link never replaces a file. Returns whether this call created it.
 */
export async function createDurably(file: string, text: string): Promise<boolean> {
  try {
    await writeBeside(file, text, (unfinished) => link(unfinished, file))
    return true
  } catch (error) {
    if (isErrno(error, 'EEXIST')) return false
    throw error
  }
}

/** Writes a file under a temporary name, which `put` then puts in its place. */
async function writeBeside(
  file: string,
  content: Content,
  put: (unfinished: string) => Promise<void>,
  signal?: AbortSignal,
) {
  const unfinished = unfinishedPath(file)
  try {
    const handle = await open(unfinished, 'wx', OWNER_ALONE)
    try {
      await handle.writeFile(content, { signal })
      await keepOwner(handle, file)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await put(unfinished)
  } finally {
    await discardUnfinished(unfinished)
  }
  await syncFolder(dirname(file))
}

/** Gives a new file the owner of the one that it replaces, so that whoever could read that one still can. */
async function keepOwner(handle: FileHandle, replaced: string) {
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

/** Reads a text file; null if it does not exist. */
export async function readIfExists(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return null
    throw error
  }
}
