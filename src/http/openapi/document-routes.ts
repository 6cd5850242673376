import type { FastifyInstance } from 'fastify'
import { buildDocument } from './build-document.ts'
import type { OpenApiDocument, RegisteredRoute } from './build-document.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** All routes that were registered, described or not. */
    registeredRoutes: readonly RegisteredRoute[]
    /** The document of all routes that are described, in OpenAPI 3.1. */
    describeApi(): OpenApiDocument
  }
}

/**
 * Serves a description of all routes that are registered after this call. Answers are never made from the schemas that
 * describe them: what a schema forgot would be left out of the answer, and nobody would know.
 */
export function documentRoutes(app: FastifyInstance): void {
  const routes: RegisteredRoute[] = []
  app.setSerializerCompiler(() => (value) => JSON.stringify(value))
  app.addHook('onRoute', ({ method, url, schema }) => {
    // Fastify adds a HEAD to every GET.
    for (const name of [method].flat()) if (name !== 'HEAD') routes.push({ method: name, url, schema: schema ?? {} })
  })
  app.decorate('registeredRoutes', routes)
  let document: OpenApiDocument | undefined
  app.decorate('describeApi', () => (document ??= buildDocument(routes)))
  app.get('/openapi.json', { schema: { hide: true } }, (_, reply) => {
    // Anybody's page may read what everybody may know.
    void reply.header('access-control-allow-origin', '*').type('application/json')
    return reply.send(JSON.stringify(app.describeApi()))
  })
}
