import type { FastifyInstance } from 'fastify'
import { buildDocument, type OpenApiDocument, type RegisteredRoute } from './build-document.ts'
import { strictObject } from './schema-parts.ts'
import { DEFAULT_BODY_LIMIT } from '../server/read-body.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** All registered routes, described or not. */
    registeredRoutes: readonly RegisteredRoute[]
    /** Returns the OpenAPI 3.1 document of all described routes. */
    describeApi(): OpenApiDocument
  }
}

const NO_QUERY = strictObject({})

/**
 * Serves the OpenAPI document of all routes registered after this call. Response schemas only describe; they do not
 * serialize, because Fastify would silently drop fields that a schema omits.
 */
export function documentRoutes(app: FastifyInstance) {
  const routes: RegisteredRoute[] = []
  app.setSerializerCompiler(() => (value) => JSON.stringify(value))
  app.addHook('onRoute', (route) => {
    // A described route takes no query but the one that it describes.
    if (route.schema?.operationId !== undefined) route.schema = { querystring: NO_QUERY, ...route.schema }
    const { method: methods, url, schema = {}, bodyLimit = DEFAULT_BODY_LIMIT } = route
    // Fastify adds a HEAD to every GET.
    for (const method of [methods].flat()) if (method !== 'HEAD') routes.push({ method, url, schema, bodyLimit })
  })
  app.decorate('registeredRoutes', routes)
  let document: OpenApiDocument | undefined
  app.decorate('describeApi', () => (document ??= buildDocument(routes)))
  app.get('/openapi.json', { schema: { hide: true } }, (_, reply) => {
    // The document is public, so pages of any origin may read it.
    void reply.header('access-control-allow-origin', '*').type('application/json')
    return reply.send(JSON.stringify(app.describeApi()))
  })
}
