import { createWriteStream, existsSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { errorReason } from '../../postgres/error-reason.ts'
import { StartupError } from '../../postgres/startup-error.ts'
import { interruption } from './interruption.ts'

/** Throws a StartupError if any of these files exists. */
export function assertNotThere(...files: string[]): void {
  for (const file of files)
    if (existsSync(file)) throw new StartupError(`${file} already exists; choose another name for --out`)
}

/**
 * Writes to a temporary file and renames it when it is on disk, so that `file` is never incomplete. Compresses it if its
 * name ends in `.gz`. Throws a StartupError if it cannot be written.
 */
export async function writeFile(file: string, content: AsyncIterable<string | Uint8Array> | string[]): Promise<void> {
  const partFile = `${file}.part`
  try {
    const target = createWriteStream(partFile, { flush: true })
    const source = Readable.from(content, { objectMode: false })
    if (file.endsWith('.gz')) await pipeline(source, createGzip(), target, { signal: interruption })
    else await pipeline(source, target, { signal: interruption })
    await rename(partFile, file)
  } catch (error) {
    await rm(partFile, { force: true })
    interruption.throwIfAborted()
    if (error instanceof Error && 'syscall' in error)
      throw new StartupError(`${file} cannot be written: ${errorReason(error)}`)
    throw error
  }
}
