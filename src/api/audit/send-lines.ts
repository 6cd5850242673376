import type { FastifyReply, FastifyRequest } from 'fastify'
import { chooseEncoding } from '#http/server/compression'
import { pipeline, type Readable } from 'node:stream'
import { constants, createGzip } from 'node:zlib'

/**
 * Sends lines of JSON (application/x-ndjson), compressed if the client asks for it. An error breaks the connection, so
 * the client notices that the response is incomplete.
 */
export function sendLines(request: FastifyRequest, reply: FastifyReply, lines: Readable): FastifyReply {
  void reply.type('application/x-ndjson').header('vary', 'accept-encoding')
  if (!chooseEncoding(request, ['gzip'])) return reply.send(lines)
  return reply.header('content-encoding', 'gzip').send(compress(lines))
}

/** Compresses lines with gzip and flushes every chunk. An error of either stream destroys both. */
export function compress(lines: Readable): Readable {
  return pipeline(lines, createGzip({ flush: constants.Z_SYNC_FLUSH }), () => undefined)
}
