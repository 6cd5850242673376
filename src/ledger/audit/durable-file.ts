import { randomUUID } from 'node:crypto'
import { open, rename } from 'node:fs/promises'
import { dirname } from 'node:path'

const OWNER_ALONE = 0o600

/**
 * Writes a file that only its owner can read. Writes to a temporary file and renames it, so that no reader sees a
 * partial file.
 */
export async function writeDurably(file: string, text: string): Promise<void> {
  const beside = `${file}.${randomUUID()}.part`
  const handle = await open(beside, 'w', OWNER_ALONE)
  try {
    await handle.writeFile(text)
    await handle.sync()
  } finally {
    await handle.close()
  }
  await rename(beside, file)
  await syncFolder(dirname(file))
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
