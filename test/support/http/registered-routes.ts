import type { FastifyInstance, RouteOptions } from 'fastify'
import { channel } from 'node:diagnostics_channel'

/** A route of an app: its method and path pattern. */
interface RegisteredRoute {
  method: string
  url: string
  /** Whether a request may be a heavy read. */
  isHeavy: boolean
}

/** Collects the routes of every app built from now on. */
export function collectRoutes(): RegisteredRoute[] {
  const routes: RegisteredRoute[] = []
  channel('fastify.initialization').subscribe((message) => {
    const { fastify } = message as { fastify: FastifyInstance }
    fastify.addHook('onRoute', ({ method, url, handler, config }: RouteOptions) => {
      // Those that answer 405 are registered for several methods at once.
      if (typeof method === 'string' && handler !== undefined)
        routes.push({ method, url, isHeavy: config?.isHeavyRead !== undefined })
    })
  })
  return routes
}
