import { randomUUID } from 'node:crypto'
import { open, rename } from 'node:fs/promises'
import { dirname } from 'node:path'

const OWNER_ALONE = 0o600

/** Writes a file that its owner alone may read: beside, and then renamed, so that nobody ever reads half of it. */
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

/** A new name in a folder survives a power cut only when the folder is written too. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
