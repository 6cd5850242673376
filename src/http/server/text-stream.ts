import type { FastifyReply, FastifyRequest } from 'fastify'
import { Readable } from 'node:stream'

declare module 'fastify' {
  interface FastifyRequest {
    /** What is read for the answer while the client takes it; it is closed once no more is read. */
    streamed: Readable | null
  }
}

/** Who is given the texts. */
export interface Reader {
  request: FastifyRequest
  reply: FastifyReply
  /** Throws when the request's user may not (any more) have them. */
  authorize(request: FastifyRequest, reply: FastifyReply): Promise<void>
}

/**
 * Texts as a stream, made one after the other while the client takes them: never more than one is held, and no
 * transaction lasts longer than what makes one. Destroying the stream, as a client does that goes away, ends the making.
 * The reader's rights are checked before each text is handed on; once they have ended, the connection breaks and the
 * answer cannot be taken for a whole one. Resolves once the first text is there: should that fail, the client gets a
 * problem instead of half an answer.
 */
export async function streamTexts(reader: Reader, texts: AsyncIterable<string>): Promise<Readable> {
  const allowed = whileAllowed(reader, texts)
  const first = await allowed.next()
  // Nothing is made ahead: a text that waited for a slow client would be older than the check of its reader.
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
