import { accessSync, constants, existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { pipeline, Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import { writeDurably } from '#files/durable-file'
import { errorReason, StartupError } from '#postgres/startup-error'
import { interruption } from './interruption.ts'

/** Throws a StartupError if any of these files exists or cannot be created: nobody waits for a result that is lost. */
export function assertCreatable(...files: string[]) {
  for (const file of files) {
    if (existsSync(file)) throw new StartupError(`${file} already exists; choose another name for --out`)
    try {
      accessSync(`${dirname(file)}/`, constants.W_OK | constants.X_OK)
    } catch (error) {
      throw new StartupError(`${file} cannot be written: ${errorReason(error)}`, { cause: error })
    }
  }
}

/**
 * Writes a file that only its owner can read and that is never incomplete. Compresses it if its name ends in `.gz`.
 * Throws a StartupError if it cannot be written.
 */
export async function writeFile(file: string, content: AsyncIterable<string | Uint8Array> | string[]) {
  try {
    await writeDurably(file, file.endsWith('.gz') ? compress(content) : content, interruption)
  } catch (error) {
    interruption.throwIfAborted()
    if (error instanceof Error && 'syscall' in error)
      throw new StartupError(`${file} cannot be written: ${errorReason(error)}`)
    throw error
  }
}

function compress(content: AsyncIterable<string | Uint8Array> | string[]): AsyncIterable<Uint8Array> {
  // An error of the content is thrown where the result is read.
  return pipeline(Readable.from(content, { objectMode: false }), createGzip(), () => undefined)
}
