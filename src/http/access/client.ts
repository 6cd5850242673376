import type { FastifyRequest } from 'fastify'
import type { Client } from '../../ledger/append/actor-clients.ts'
import { MAX_USER_AGENT } from '../../ledger/append/actor-clients.ts'

/** From where a request was sent: by the connection or, behind a trusted proxy, by what the proxy says. */
export function clientOf({ ip, headers }: FastifyRequest): Client {
  return { address: ip, userAgent: headers['user-agent']?.slice(0, MAX_USER_AGENT) ?? null }
}
