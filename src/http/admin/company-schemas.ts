import type { FastifyReply, FastifyRequest } from 'fastify'
import type { TSchema } from '@sinclair/typebox'
import { Type } from '@sinclair/typebox'
import type { Acting } from '../../commands/change-company.ts'
import { userOf } from '../authorize-user.ts'

/* What the schemas and the answers of keys, users and tokens have in common. */

export const STRICT = { additionalProperties: false } as const
export const NoQuery = Type.Object({}, STRICT)

export const Page = {
  limit: Type.Integer({ minimum: 1, maximum: 200, default: 50, description: 'How many items a page has at most.' }),
  cursor: Type.Optional(
    Type.String({ minLength: 1, maxLength: 64, description: '`next_cursor` of the page before, for the next one.' }),
  ),
}

/** A name that people give to a thing; white space at its ends is dropped before it is looked at. */
export const Name = Type.String({ minLength: 1, maxLength: 120, description: 'Trimmed; the limits hold after that.' })

export const Time = Type.String({ format: 'date-time' })
export const TimeOrNull = Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'date-time' })

/** One of a few texts. */
export function oneOf<Text extends string>(texts: readonly Text[], description?: string) {
  return Type.Unsafe<Text>({ type: 'string', enum: [...texts], ...(description === undefined ? {} : { description }) })
}

export function listOf(item: TSchema) {
  return Type.Object({
    items: Type.Array(item),
    next_cursor: Type.Unsafe<string | null>({ type: ['string', 'null'], description: 'Null at the end.' }),
  })
}

/** An id in a path may be any text: one that is no id is answered like one that nothing has. */
export function idIn(kind: string) {
  return Type.Object({ id: Type.String({ description: `The id of the ${kind}.` }) })
}

/** The answer to a deletion has no body. */
export const NO_CONTENT = Type.Null({ description: 'Done; there is nothing to say.' })

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
