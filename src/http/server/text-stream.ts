import type { FastifyReply, FastifyRequest } from 'fastify'
import { Readable } from 'node:stream'

declare module 'fastify' {
  interface FastifyRequest {
    /** The source of a streamed response. Closed when nothing more is read. */
    streamed: Readable | null
  }
}

/** The request that receives the texts. */
export interface Reader {
  request: FastifyRequest
  reply: FastifyReply
  /** Throws if the user of the request may not, or may no longer, receive them. */
  authorize(request: FastifyRequest, reply: FastifyReply): Promise<void>
}

/**
 * Streams texts as the client consumes them. It holds only one text at a time, and no transaction lasts longer than
 * producing one. Destroying the stream, as a client disconnect does, stops production. The reader's rights are checked
 * before each text; if they have ended, the connection breaks, so that the response is visibly incomplete. Resolves when
 * the first text is ready: if it fails, the client gets a problem instead of a partial response.
 */
export async function streamTexts(reader: Reader, texts: AsyncIterable<string>): Promise<Readable> {
  const allowed = whileAllowed(reader, texts)
  const first = await allowed.next()
  // Nothing is produced ahead, so that rights are checked just before each text is sent.
  const streamed = Readable.from(startingWith(first.done === true ? '' : first.value, allowed), { highWaterMark: 0 })
  reader.request.streamed = streamed
  return streamed
}

async function* whileAllowed(
  { request, reply, authorize }: Reader,
  texts: AsyncIterable<string>,
): AsyncGenerator<string> {
  for await (const text of texts) {
    await authorize(request, reply)
    yield text
  }
}

async function* startingWith<Item>(first: Item, rest: AsyncGenerator<Item>): AsyncGenerator<Item> {
  yield first
  yield* rest
}
