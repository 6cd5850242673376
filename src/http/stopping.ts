import type { FastifyInstance } from 'fastify'
import { problem } from '../domain/errors.ts'
import { ProblemError } from './problem.ts'

const STOPPING = problem('unavailable', 'the service is stopping; try again')
/** They tell the truth while the service stops, too. */
const HEALTH = new Set(['/livez', '/readyz'])

/**
 * Refuses calls that come once the service has begun to stop, with 503 and when to come again. Calls that were there
 * before are finished.
 */
export function refuseWhileStopping(app: FastifyInstance): void {
  let isStopping = false
  app.addHook('preClose', async () => {
    isStopping = true
  })
  app.addHook('onRequest', async (request, reply) => {
    if (!isStopping) return
    void reply.header('connection', 'close')
    if (!HEALTH.has(request.url)) throw new ProblemError(STOPPING)
  })
}
