import type { FastifyRequest } from 'fastify'
import type { SessionSettings } from './session.ts'

/** Finds the base URL of the service: as configured, or else as this request reached it. */
export function findBaseUrl(request: FastifyRequest, { publicUrl }: SessionSettings): string {
  if (publicUrl !== null) return publicUrl
  // The URL is shown in shell commands: accept only a host and a port.
  const host = /^[A-Za-z0-9._-]+(?::\d+)?$|^\[[0-9A-Fa-f:.]+\](?::\d+)?$/.test(request.host)
    ? request.host
    : 'localhost'
  return `${request.protocol}://${host}`
}
