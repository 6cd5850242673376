import type { FastifyReply, FastifyRequest } from 'fastify'
import { pipeline, type Readable } from 'node:stream'
import { constants, createGzip } from 'node:zlib'

/**
 * Sends lines of JSON (application/x-ndjson), compressed if the client asks for it. An error breaks the connection, so
 * the client notices that the response is incomplete.
 */
export function sendLines(request: FastifyRequest, reply: FastifyReply, lines: Readable): FastifyReply {
  void reply.type('application/x-ndjson').header('vary', 'accept-encoding')
  if (!acceptsGzip(request.headers['accept-encoding'])) return reply.send(lines)
  return reply.header('content-encoding', 'gzip').send(compress(lines))
}

/** Compresses lines with gzip and flushes every chunk. An error of either stream destroys both. */
export function compress(lines: Readable): Readable {
  return pipeline(lines, createGzip({ flush: constants.Z_SYNC_FLUSH }), () => undefined)
}

/** Whether a client accepts gzip (RFC 9110 section 12.5.3). */
export function acceptsGzip(header: string | undefined): boolean {
  const weights = new Map<string, number>()
  for (const entry of (header ?? '').toLowerCase().split(',')) {
    const [coding = '', ...parameters] = entry.split(';').map((part) => part.trim())
    const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice('q='.length)
    weights.set(coding, weight === undefined ? 1 : Number(weight))
  }
  return (weights.get('gzip') ?? weights.get('x-gzip') ?? weights.get('*') ?? 0) > 0
}
