import { hash } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { invalidQuery } from './query-values.ts'

/** The parameters that choose a page of a list, and not what is on it. */
const OF_PAGES: ReadonlySet<string> = new Set(['cursor', 'limit', 'count', 'min_position'])
const DIGEST_CHARACTERS = 8

/**
 * Binds the cursors of lists to their filters, because a cursor that is sent with others skips items in silence. A cursor
 * ends with a digest of the filters; those that 1.1.0 returned have none. Call it before registering routes.
 */
export function bindCursors(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    const { properties = {} } = (route.schema?.querystring ?? {}) as { properties?: object }
    if (!Object.hasOwn(properties, 'cursor')) return
    route.preHandler = [...[route.preHandler ?? []].flat(), unbind]
    route.preSerialization = [...[route.preSerialization ?? []].flat(), bind]
  })
}

async function unbind(request: FastifyRequest): Promise<void> {
  const query = request.query as { cursor?: string }
  const [place, digest] = query.cursor?.split('.') ?? []
  if (place === undefined || digest === undefined) return
  if (digest !== digestFilters(request))
    throw invalidQuery('cursor', 'belongs to other filters: send those of its page')
  query.cursor = place
}

async function bind(request: FastifyRequest, _reply: unknown, payload: unknown): Promise<unknown> {
  const page = payload as { next_cursor?: string | null }
  if (typeof page?.next_cursor !== 'string') return payload
  return { ...page, next_cursor: `${page.next_cursor}.${digestFilters(request)}` }
}

function digestFilters({ query }: FastifyRequest): string {
  const filters = Object.entries(query as object).filter(([name]) => !OF_PAGES.has(name))
  const text = JSON.stringify(filters.toSorted(([one], [other]) => (one < other ? -1 : 1)))
  return hash('sha256', text, 'base64url').slice(0, DIGEST_CHARACTERS)
}
