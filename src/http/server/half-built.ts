import type { FastifyInstance } from 'fastify'
import { problem } from '../../domain/errors.ts'
import { ProblemError } from './problem.ts'

/**
 * Refuses the calls of these routes with 503 while a read model of this version of the program is filled for the first
 * time: nobody sees a part of it. A balancer sends no calls here by then (`/readyz`), a lone process gets them all the same.
 */
export function refuseHalfBuilt(app: FastifyInstance, areComplete: () => Promise<boolean>): void {
  // Before a reading call is charged: what ends in 503 costs nothing.
  app.addHook('preValidation', async () => {
    if (await areComplete()) return
    throw new ProblemError(problem('unavailable', 'The data for this version is still being built; try again'))
  })
}
