import { omitUndefined } from '#domain/omit-undefined'
import { PassThrough, Readable, Writable } from 'node:stream'
import { ZipWriter } from '@zip.js/zip.js'

/** A file of an archive. Its content is read when its turn comes. */
export interface ZipEntry {
  name: string
  content: AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>
}

/** Everything that would make two archives of the same content differ. */
const OPTIONS = {
  useWebWorkers: false,
  extendedTimestamp: false,
  // Local time, of which an archive has no other.
  lastModDate: new Date(1980, 0, 1),
} as const

const CHUNK_BYTES = 1024 * 1024

/**
 * Archives files one after the other as the bytes are read, in chunks of about 1 MiB: at most a few are held in memory.
 * Ending the iteration stops it. The same content always gives the same bytes. Without `zip64`, a file has at most 4 GiB:
 * programs that read workbooks know no others.
 */
export async function* zip(
  entries: AsyncIterable<ZipEntry>,
  { zip64 }: { zip64?: false } = {},
): AsyncGenerator<Buffer> {
  const pipe = new PassThrough()
  const writer = new ZipWriter(Writable.toWeb(pipe), { ...OPTIONS, ...omitUndefined({ zip64 }) })
  const writing = (async () => {
    for await (const { name, content } of entries)
      await writer.add(name, Readable.toWeb(Readable.from(content, { objectMode: false })))
    await writer.close()
  })().catch((error: Error) => void pipe.destroy(error))
  try {
    let [pieces, bytes]: [Buffer[], number] = [[], 0]
    for await (const piece of pipe as AsyncIterable<Buffer>) {
      pieces.push(piece)
      bytes += piece.length
      if (bytes < CHUNK_BYTES) continue
      yield Buffer.concat(pieces)
      ;[pieces, bytes] = [[], 0]
    }
    if (bytes > 0) yield Buffer.concat(pieces)
  } finally {
    await writing
  }
}
