import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Acting } from '../../accounts/users/change-company.ts'
import { userOf } from '../access/authorize-user.ts'

/* What the schemas and the answers of keys, users and tokens have in common. */

/** Bytes that a body of these routes may have: none of them needs more. */
export const SMALL_BODY = 16_384

/** Drops white space at the ends of a name before it is validated. */
export async function trimName(request: FastifyRequest): Promise<void> {
  const { body } = request
  if (typeof body === 'object' && body !== null && 'name' in body && typeof body.name === 'string') {
    body.name = body.name.trim()
  }
}

/** Who acts in a request behind an authentication. */
export function actingUser(request: FastifyRequest): Acting {
  const { companyId, userId } = userOf(request)
  return { companyId, actor: userId, traceparent: request.trace?.traceparent ?? null }
}

/** Tells the position of what was appended; nothing when nothing was. */
export function tellPosition(reply: FastifyReply, position: number | null): FastifyReply {
  return position === null ? reply : reply.header('x-ledger-position', String(position))
}

/** Keeps an answer that shows a secret out of every cache. */
export function keepOutOfCaches(reply: FastifyReply): FastifyReply {
  return reply.header('cache-control', 'no-store')
}
