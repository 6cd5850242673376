import type { FastifyRequest } from 'fastify'
import { trimBlanks } from '#text/normalize-text'
import { readWanted, type Projection } from '#domain/scim/render-user'
import { findMember } from '#domain/scim/user-values'
import { findBaseUrl, type SessionSettings } from '#http/access/session'

/** The address of the endpoint, as the client reached it, without the slash behind it. */
export function findScimBase(request: FastifyRequest, sessions: SessionSettings) {
  return `${findBaseUrl(request, sessions)}/scim/v2`
}

/** A parameter of the query, whose name may be in any case; the first if there are several. */
export function queryText({ query }: FastifyRequest, name: string) {
  const [text] = [findMember(query as Record<string, unknown>, name)].flat()
  return typeof text === 'string' && trimBlanks(text) !== '' ? text : undefined
}

/** The names of a list that a client may send. */
const MAX_NAMES = 200

/** What of a user the client wants (RFC 7644 section 3.9). */
export function readProjection(request: FastifyRequest): Projection {
  const names = (name: string) =>
    (queryText(request, name) ?? '')
      .split(',', MAX_NAMES)
      .map(trimBlanks)
      .filter((path) => path !== '')
      .map(readWanted)
  return { attributes: names('attributes'), excluded: names('excludedAttributes') }
}
