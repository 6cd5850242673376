import type { FastifyInstance, FastifyReply, HTTPMethods } from 'fastify'
import createRouter from 'find-my-way'
import { type Problem, problem } from '#domain/errors'

const METHODS: HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

type Sent = FastifyReply | Promise<FastifyReply>
/** Answers a request that no route accepts. */
export type Refuse = (reply: FastifyReply, problem: Problem) => Sent

/**
 * Answers 405 with `Allow` (RFC 9110 section 15.5.6) to a request that matched no route because of its method, and 404 with
 * the path that is meant to one whose path is nearly that of a route; null if there is nothing like its path.
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
    const { url } = reply.request
    const found = router.find('GET', url)
    if (found === null) {
      const near = spell(url).flatMap((path) => router!.find('GET', path) ?? [])[0]
      const detail = `There is nothing at this address; did you mean ${near?.store.path.replaceAll(/:(\w+)/g, '{$1}')}?`
      return near ? refuse(reply, problem('route_not_found', detail)) : null
    }
    const { methods }: Place = found.store
    const allow = METHODS.filter((method) => methods.has(method)).join(', ')
    return refuse(reply.header('allow', allow), problem('method_not_allowed', `The route supports ${allow}`))
  }
}

interface Place {
  path: string
  methods: Set<string>
}

/**
 * How a path may be meant that has slashes too many, capitals, another prefix, no version or another one, or something
 * behind it: a format, parameters that do not follow a question mark, or a blank.
 */
function spell(url: string) {
  const path = url
    .replace(/[?#].*/s, '')
    .toLowerCase()
    .replaceAll(/(?:\/|%2f)+/g, '/')
    .replace(/(?:\.(?:json|xml|csv)\b|[;&\s]|%(?:3[bf]|26|0[ad]|20|22)).*/, '')
  const bare = path.replace(/^\/api(?=\/)/, '').replace(/^\/v\d+(?:\.\d+)?(?=\/)/, '')
  return [path, bare, `/v1${bare}`, `${bare}s`, `/v1${bare}s`]
}

/** A router as the application's own that knows the paths and not the methods. */
function routeAll(paths: ReadonlyMap<string, Set<string>>, maxParamLength: number): ReturnType<typeof createRouter> {
  const router = createRouter({ ignoreTrailingSlash: true, maxParamLength })
  for (const [path, methods] of paths) router.on('GET', path, () => undefined, { path, methods })
  return router
}
