import type { FastifyRequest } from 'fastify'

/**
 * Default maximum size of a body, in bytes. Also the size up to which the server reads the body of a key whose calls are
 * all refused, and a body without Content-Length before it takes memory from the budget.
 */
export const SMALL_BODY = 65_536

/** Returns the body length from the Content-Length header; null for a chunked body. */
export function announcedBytes({ headers }: FastifyRequest): number | null {
  if (headers['transfer-encoding'] !== undefined) return null
  return Number(headers['content-length'] ?? 0)
}

/** Whether the request announces a small body. */
export function isSmallBody(request: FastifyRequest): boolean {
  const announced = announcedBytes(request)
  return announced !== null && announced <= SMALL_BODY
}
