import type { FastifyReply, FastifyRequest } from 'fastify'
import { Readable } from 'node:stream'

declare module 'fastify' {
  interface FastifyRequest {
    /** The source of a streamed answer; closed once no more is read from it. */
    streamed: Readable | null
  }
}

/** The recipient of a stream. */
export interface Reader {
  request: FastifyRequest
  reply: FastifyReply
  /** Throws if the request's user may not, or may no longer, read it. */
  authorize(request: FastifyRequest, reply: FastifyReply): Promise<void>
}

/**
 * Streams texts or bytes, produced one at a time as the client reads them: at most one is held in memory, and no
 * transaction outlasts the production of one. Destroying the stream, as a disconnecting client does, stops the production.
 *
 * The user's rights are checked before each text. If they have ended, the connection breaks, so that the client cannot
 * mistake the answer for a complete one. Resolves when the first text is ready: if that fails, the client gets a
 * problem instead of half an answer.
 */
export async function streamTexts(reader: Reader, texts: AsyncIterable<string | Uint8Array>): Promise<Readable> {
  const allowed = whileAllowed(reader, texts)
  const first = await allowed.next()
  // No read-ahead: a text that waited for a slow client would outlive the check of its user's rights.
  const streamed = Readable.from(startingWith(first.done === true ? '' : first.value, allowed), { highWaterMark: 0 })
  reader.request.streamed = streamed
  return streamed
}

async function* whileAllowed(
  { request, reply, authorize }: Reader,
  texts: AsyncIterable<string | Uint8Array>,
): AsyncGenerator<string | Uint8Array> {
  for await (const text of texts) {
    await authorize(request, reply)
    yield text
  }
}

async function* startingWith<Item>(first: Item, rest: AsyncGenerator<Item>): AsyncGenerator<Item> {
  yield first
  yield* rest
}

/** Formats an instant (RFC 3339, UTC) for a file name, to the minute: `2026-11-20T1430Z`. */
export function formatFileTime(instant: string): string {
  return `${instant.slice(0, '0000-00-00T00:00'.length).replace(':', '')}Z`
}

/** Sends a stream as a file to download. The name must be ASCII without quotes. */
export function sendAttachment(reply: FastifyReply, fileName: string, type: string, content: Readable): FastifyReply {
  return reply.type(type).header('content-disposition', `attachment; filename="${fileName}"`).send(content)
}
