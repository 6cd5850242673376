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
 * Ending the iteration stops it. The same content always gives the same bytes.
 */
export async function* zip(entries: AsyncIterable<ZipEntry>): AsyncGenerator<Buffer> {
  const { readable, writable, fail } = openPipe()
  const writer = new ZipWriter(writable, OPTIONS)
  const writing = (async () => {
    for await (const { name, content } of entries) await writer.add(name, toByteStream(content))
    await writer.close()
  })().catch(fail)
  try {
    let [pieces, bytes]: [Uint8Array[], number] = [[], 0]
    for await (const piece of readable) {
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

/** A pipe that holds one piece. Unlike a TransformStream, it can be broken while someone writes to it. */
function openPipe() {
  let controller!: ReadableStreamDefaultController<Uint8Array>
  let pulled = Promise.withResolvers<void>()
  let isCanceled = false
  const readable = new ReadableStream<Uint8Array>(
    {
      start: (opened) => void (controller = opened),
      pull: () => pulled.resolve(),
      cancel() {
        isCanceled = true
        pulled.resolve()
      },
    },
    { highWaterMark: 0 },
  )
  const writable = new WritableStream<Uint8Array>({
    async write(bytes) {
      await pulled.promise
      if (isCanceled) throw new CanceledError('nobody reads the archive any more')
      pulled = Promise.withResolvers()
      controller.enqueue(bytes)
    },
    async close() {
      await pulled.promise
      if (!isCanceled) controller.close()
    },
  })
  const fail = (error: unknown) => {
    if (!isCanceled) controller.error(error)
  }
  return { readable, writable, fail }
}

class CanceledError extends Error {
  override name = 'CanceledError'
}

function toByteStream(content: ZipEntry['content']): ReadableStream<Uint8Array> {
  const texts = Symbol.asyncIterator in content ? content[Symbol.asyncIterator]() : content[Symbol.iterator]()
  return new ReadableStream(
    {
      async pull(controller) {
        const next = await texts.next()
        if (next.done === true) controller.close()
        else if (next.value.length > 0) controller.enqueue(Buffer.from(next.value as string))
        else await this.pull!(controller)
      },
      async cancel() {
        await texts.return?.()
      },
    },
    { highWaterMark: 0 },
  )
}
