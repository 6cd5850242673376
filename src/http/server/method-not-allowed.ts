import type { FastifyInstance, FastifyReply, HTTPMethods } from 'fastify'
import { type Problem, problem } from '#domain/errors.ts'

const METHODS: HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

type Sent = FastifyReply | Promise<FastifyReply>
/** Answers a request that no route accepts. */
export type Refuse = (reply: FastifyReply, problem: Problem) => Sent

/** The methods of all routes. */
export interface KnownMethods {
  /** Answers 405 to the common methods that a path does not support. Call it once all routes are registered. */
  refuseOthers(): void
  /** Answers 405 to a request that matched no route because of its method; null if there is nothing at its path. */
  refuseIfKnown(reply: FastifyReply): Sent | null
}

/**
 * Collects the methods of the routes that are registered from now on, to answer 405 with `Allow` (RFC 9110 section
 * 15.5.6) to the others.
 */
export function collectMethods(app: FastifyInstance, refuse: Refuse): KnownMethods {
  const paths = new Map<string, Set<string>>()
  const allowed = new Map<string, string>()
  const refuseMethod = (reply: FastifyReply, allow: string) =>
    refuse(reply.header('allow', allow), problem('method_not_allowed', `The route supports ${allow}`))
  let patterns: { pattern: URLPattern; allow: string }[] | undefined
  app.addHook('onRoute', ({ url, method }) => {
    const methods = paths.get(url) ?? new Set()
    for (const name of [method].flat()) methods.add(name)
    paths.set(url, methods)
  })
  return {
    refuseOthers() {
      for (const [url, methods] of Array.from(paths)) {
        const allow = METHODS.filter((method) => methods.has(method)).join(', ')
        allowed.set(url, allow)
        app.route({
          method: METHODS.filter((method) => !methods.has(method)),
          url,
          schema: { hide: true },
          // Refuse before reading the body: the caller is not authenticated.
          onRequest: async (_request, reply) => refuseMethod(reply, allow),
          handler: () => undefined,
        })
      }
    },
    refuseIfKnown(reply) {
      patterns ??= [...allowed]
        .toSorted(([one], [other]) => rank(one) - rank(other))
        .map(([path, allow]) => ({ pattern: new URLPattern({ pathname: path }), allow }))
      const [path = ''] = reply.request.url.split('?', 1)
      // A pattern would resolve these, and the router does not.
      if (DOT_SEGMENT.test(path)) return null
      const pathname = path.replace(/(?<=.)\/$/, '')
      const route = patterns.find(({ pattern }) => pattern.test({ pathname }))
      return route ? refuseMethod(reply, route.allow) : null
    },
  }
}

const DOT_SEGMENT = /\/(?:\.|%2e){1,2}(?:\/|$)/i

/** As in the router, fixed parts come before parameters, and these before a wildcard. */
function rank(path: string): number {
  return path.endsWith('*') ? Number.MAX_SAFE_INTEGER : path.split(':').length
}
