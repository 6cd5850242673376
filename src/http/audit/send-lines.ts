import type { FastifyReply, FastifyRequest } from 'fastify'
import { pipeline, type Readable } from 'node:stream'
import { constants, createGzip } from 'node:zlib'

/**
 * Sends lines of JSON (application/x-ndjson), compressed for a client that asks for it. Each text that comes is flushed,
 * so that it can be read before the next one is there. A fault on the way breaks the connection: the client sees that
 * the end is missing.
 */
export function sendLines(request: FastifyRequest, reply: FastifyReply, lines: Readable): FastifyReply {
  void reply.type('application/x-ndjson').header('vary', 'accept-encoding')
  if (!acceptsGzip(request.headers['accept-encoding'])) return reply.send(lines)
  void reply.header('content-encoding', 'gzip')
  const gzip = createGzip({ flush: constants.Z_SYNC_FLUSH })
  // Whichever of the two ends or breaks first takes the other with it; the reply hears of it from the outer one.
  return reply.send(pipeline(lines, gzip, () => undefined))
}

/** Whether gzip is among the codings that a client takes, RFC 9110 section 12.5.3. */
export function acceptsGzip(header: string | undefined): boolean {
  const weights = new Map<string, number>()
  for (const entry of (header ?? '').toLowerCase().split(',')) {
    const [coding = '', ...parameters] = entry.split(';').map((part) => part.trim())
    const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice('q='.length)
    weights.set(coding, weight === undefined ? 1 : Number(weight))
  }
  return (weights.get('gzip') ?? weights.get('x-gzip') ?? weights.get('*') ?? 0) > 0
}
