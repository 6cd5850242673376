import { setTimeout as pause } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'

/** If the database does not answer within this time, the process is not ready. */
const READY_TIMEOUT_MS = 2_000

interface HealthServices {
  isReady(): Promise<boolean>
  isStopping(): boolean
  areReadModelsComplete(): Promise<boolean>
}

/**
 * Adds the liveness and readiness endpoints. `/livez`: the process answers. `/readyz`: it can serve; not ready while
 * the database doesn't answer or can't store anything, while a read model of this version is filled for the first time, or during shutdown.
 */
export function registerHealthRoutes(app: FastifyInstance, services: HealthServices): void {
  const isReady = async () => (await services.isReady()) && services.areReadModelsComplete()
  app.get('/livez', (_, reply) => reply.header('cache-control', 'no-store').send({ status: 'alive' }))
  app.get('/readyz', async (_, reply) => {
    const ready =
      !services.isStopping() && (await Promise.race([isReady().catch(() => false), pause(READY_TIMEOUT_MS, false)]))
    return reply
      .code(ready ? 200 : 503)
      .header('cache-control', 'no-store')
      .send({ status: ready ? 'ready' : 'not ready' })
  })
}
