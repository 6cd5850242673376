import { setTimeout as pause } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'

/** The database must answer within this time. */
const READY_TIMEOUT_MS = 2_000

/**
 * `/livez`: the process runs. `/readyz`: it can serve requests. It cannot while the database does not answer, while a
 * read model of this version is built for the first time, or while the process is stopping.
 */
export function health(app: FastifyInstance, isReady: () => Promise<boolean>): void {
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
