import type { FastifyRequest } from 'fastify'

/**
 * The default body limit, in bytes. Also the limit for keys whose calls would all be refused, and for the part of a
 * body without Content-Length that is read before its memory is reserved.
 */
export const DEFAULT_BODY_LIMIT = 65_536

/** The body length that the headers announce, in bytes; null for a chunked body. */
export function announcedBytes({ headers }: FastifyRequest): number | null {
  if (headers['transfer-encoding'] !== undefined) return null
  return Number(headers['content-length'] ?? 0)
}

/** Whether the headers announce a small body. */
export function isSmallBody(request: FastifyRequest): boolean {
  const announced = announcedBytes(request)
  return announced !== null && announced <= DEFAULT_BODY_LIMIT
}
