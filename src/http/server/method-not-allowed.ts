import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify'
import { type Problem, problem } from '../../domain/errors.ts'

const METHODS: HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

type Refuse = (request: FastifyRequest, reply: FastifyReply, problem: Problem) => unknown

/**
 * Answers 405 with `Allow` (RFC 9110 section 15.5.6) to methods that a known path does not support. Returns a function
 * to call once all routes are registered.
 */
export function collectMethods(app: FastifyInstance, refuse: Refuse): () => void {
  const known = new Map<string, Set<string>>()
  app.addHook('onRoute', ({ url, method }) => {
    const methods = known.get(url) ?? new Set()
    for (const name of [method].flat()) methods.add(name)
    known.set(url, methods)
  })
  return () => {
    for (const [url, methods] of Array.from(known)) {
      const allow = METHODS.filter((method) => methods.has(method)).join(', ')
      app.route({
        method: METHODS.filter((method) => !methods.has(method)),
        url,
        schema: { hide: true },
        // Refuse before reading the body: the caller is not authenticated.
        onRequest: async (request, reply) => {
          const detail = `The route supports ${allow}`
          return refuse(request, reply.header('allow', allow), problem('method_not_allowed', detail))
        },
        handler: () => undefined,
      })
    }
  }
}
