import type { RegisteredRoute } from '../../src/http/openapi/build-document.ts'

/** A route as the fuzzer calls it. */
export interface FuzzedRoute {
  method: string
  /** With `:name` for a parameter, and `*` for anything. */
  url: string
  kind: 'public' | 'scim' | 'admin' | 'audit' | 'page' | 'open'
  schema: RegisteredRoute['schema']
  bodyLimit: number
  /** It has its own handler instead of only answering 405. */
  isOwn: boolean
}

/** All routes of the application with all their methods, HEAD included. Those without a handler answer 405. */
export function fuzzedRoutes(registered: readonly RegisteredRoute[]): FuzzedRoute[] {
  const routes = registered.map(({ method, url, schema, bodyLimit }) => ({
    method,
    url,
    schema,
    bodyLimit,
    kind: kindOf(url),
    isOwn: schema.hide !== true || (method === 'GET' && OPEN.test(url)) || OF_PROVIDERS.test(`${method} ${url}`),
  }))
  const heads = routes
    .filter(({ method, isOwn }) => method === 'GET' && isOwn)
    .map((route) => ({ ...route, method: 'HEAD', isOwn: false }))
  return [...routes, ...heads]
}

/** What identity providers call. The other routes of theirs refuse everything. */
const OF_PROVIDERS = /^(?:(?:GET|POST) \/scim\/v2\/Users|(?:GET|PUT|PATCH|DELETE) \/scim\/v2\/Users\/:id)$/

const OPEN = /^\/(?:openapi\.json|livez|readyz|assets\/|problems|docs)/

function kindOf(url: string): FuzzedRoute['kind'] {
  if (url.startsWith('/v1/')) return 'public'
  if (url.startsWith('/scim/')) return 'scim'
  if (url.startsWith('/admin/')) return 'admin'
  if (url.startsWith('/audit/')) return 'audit'
  return OPEN.test(url) ? 'open' : 'page'
}
