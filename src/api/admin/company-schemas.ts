import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Acting } from '#accounts/change-company'
import { actAs } from '#http/access/session'
import { userOf } from '#http/access/authorize-user'
import { JSON_TYPES, MERGE_PATCH_TYPES } from '#http/server/media-types'
import { trimBlanks } from '#text/normalize-text'

/* Shared by the routes for keys, webhooks, users and tokens. */

/** Maximum size of a body on these routes, in bytes. */
const ADMIN_BODY_LIMIT = 16_384

/** The options of a route with a JSON body. */
export const JSON_BODY = { config: { mediaTypes: JSON_TYPES }, bodyLimit: ADMIN_BODY_LIMIT }

/** The same of a route that may take long. */
export const HEAVY_JSON_BODY = { ...JSON_BODY, config: { ...JSON_BODY.config, isHeavyRead: true } }

/** The options of a route with a JSON Merge Patch. */
export const MERGE_PATCH_BODY = { config: { mediaTypes: MERGE_PATCH_TYPES }, bodyLimit: ADMIN_BODY_LIMIT }

/** Trims these texts of a body before validation. */
export function trimTexts(...names: string[]) {
  return async ({ body }: FastifyRequest) => {
    if (typeof body !== 'object' || body === null) return
    const fields = body as Record<string, unknown>
    for (const name of names) {
      const text = fields[name]
      if (Object.hasOwn(fields, name) && typeof text === 'string') fields[name] = trimBlanks(text)
    }
  }
}

/** Trims the name in a body before validation. */
export const trimName = trimTexts('name')

/** Returns the authenticated user as the actor of a change. */
export function actingUser(request: FastifyRequest): Acting {
  return actAs(request, userOf(request))
}

/** Sets `X-Ledger-Position`, if anything was appended. */
export function setPositionHeader(reply: FastifyReply, position: number | null) {
  return position === null ? reply : reply.header('x-ledger-position', String(position))
}
