import type { FastifyRequest } from 'fastify'

/**
 * Bytes that a body may have where its route does not say otherwise. It is also as much as is read of a key whose calls
 * are all refused, and of a body without a Content-Length before its memory is taken from the budget.
 */
export const SMALL_BODY = 65_536

/** How long the body of a request is by its header; null when only its end will tell. */
export function announcedBytes({ headers }: FastifyRequest): number | null {
  if (headers['transfer-encoding'] !== undefined) return null
  return Number(headers['content-length'] ?? 0)
}

/** Whether the header of a request says that its body is small. */
export function isSmallBody(request: FastifyRequest): boolean {
  const announced = announcedBytes(request)
  return announced !== null && announced <= SMALL_BODY
}
