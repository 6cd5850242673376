import type { FastifyRequest } from 'fastify'
import type { SessionSettings } from '../../access/session.ts'

/** Where clients reach the service, without a path: as it was set, or as this very request reached it. */
export function findBaseUrl(request: FastifyRequest, { publicUrl }: SessionSettings): string {
  if (publicUrl !== null) return publicUrl
  // It is shown in lines for a shell: nothing but a host and a port.
  const host = /^[A-Za-z0-9._-]+(?::\d+)?$|^\[[0-9A-Fa-f:.]+\](?::\d+)?$/.test(request.host)
    ? request.host
    : 'localhost'
  return `${request.protocol}://${host}`
}
