import type { FastifyRequest } from 'fastify'
import { readAddress } from '../../domain/networks.ts'
import { MAX_USER_AGENT, type Client } from '../../domain/client.ts'

/** From where a request was sent: by the connection or, behind a trusted proxy, by what the proxy says. */
export function clientOf({ ip, headers }: FastifyRequest): Client {
  // A closed connection has no address, which the type does not say.
  const sentFrom = (ip as string | undefined) ?? ''
  return {
    address: readAddress(sentFrom) ?? sentFrom,
    userAgent: headers['user-agent']?.slice(0, MAX_USER_AGENT) ?? null,
  }
}
