import { setTimeout as pause } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'

/** A database that takes longer than this to answer cannot serve. */
const READY_TIMEOUT_MS = 2_000

/**
 * `/livez`: the process answers. `/readyz`: it can serve, which it cannot while the database does not answer while a
 * read model of this version is filled for the first time, or while it is stopping.
 */
export function registerHealthRoutes(app: FastifyInstance, isReady: () => Promise<boolean>): void {
  let isStopping = false
  app.addHook('preClose', async () => {
    isStopping = true
  })
  app.get('/livez', () => ({ status: 'alive' }))
  app.get('/readyz', async (_, reply) => {
    const ready = !isStopping && (await Promise.race([isReady().catch(() => false), pause(READY_TIMEOUT_MS, false)]))
    return reply.code(ready ? 200 : 503).send({ status: ready ? 'ready' : 'not ready' })
  })
}
