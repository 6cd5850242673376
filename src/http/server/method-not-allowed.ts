import type { FastifyInstance, FastifyReply, HTTPMethods } from 'fastify'
import createRouter from 'find-my-way'
import { type Problem, problem } from '#domain/errors'

const METHODS: HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

type Sent = FastifyReply | Promise<FastifyReply>
/** Answers a request that no route accepts. */
export type Refuse = (reply: FastifyReply, problem: Problem) => Sent

/**
 * Answers 405 with `Allow` (RFC 9110 section 15.5.6) to a request that matched no route because of its method; null if
 * there is nothing at its path.
 */
export type RefuseMethod = (reply: FastifyReply) => Sent | null

/** Collects the methods of the routes that are registered from now on. `maxParamLength` is the application's. */
export function collectMethods(app: FastifyInstance, refuse: Refuse, maxParamLength: number): RefuseMethod {
  const paths = new Map<string, Set<string>>()
  app.addHook('onRoute', ({ url, method }) => {
    const methods = paths.get(url) ?? new Set()
    for (const name of [method].flat()) methods.add(name)
    paths.set(url, methods)
  })
  // Most processes never need it, and all routes are registered by the first request.
  let router: ReturnType<typeof createRouter> | undefined
  return (reply) => {
    router ??= routeAll(paths, maxParamLength)
    const found = router.find('GET', reply.request.url)
    if (found === null) return null
    const methods: Set<string> = found.store
    const allow = METHODS.filter((method) => methods.has(method)).join(', ')
    return refuse(reply.header('allow', allow), problem('method_not_allowed', `The route supports ${allow}`))
  }
}

/** A router as the application's own that knows the paths and not the methods. */
function routeAll(paths: ReadonlyMap<string, Set<string>>, maxParamLength: number): ReturnType<typeof createRouter> {
  const router = createRouter({ ignoreTrailingSlash: true, maxParamLength })
  for (const [path, methods] of paths) router.on('GET', path, () => undefined, methods)
  return router
}
