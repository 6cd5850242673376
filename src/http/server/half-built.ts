import type { FastifyInstance } from 'fastify'
import { problem } from '../../domain/errors.ts'
import { ProblemError } from './problem.ts'

/**
 * Answers 503 while a read model of this version is being filled for the first time, so that nobody sees a part of it.
 * By then, `/readyz` keeps a load balancer from sending calls here; a single process receives them anyway.
 */
export function refuseHalfBuilt(app: FastifyInstance, areComplete: () => Promise<boolean>): void {
  // Runs before the quota is charged: a 503 costs nothing.
  app.addHook('preValidation', async () => {
    if (await areComplete()) return
    throw new ProblemError(problem('unavailable', 'The data that this call reads is still being built; try again'))
  })
}
