import type { FastifyInstance } from 'fastify'
import { problem } from '../../domain/errors.ts'
import { ProblemError } from './problem.ts'

/**
 * Answers these routes with 503 while a new version of a read model is built for the first time, so that no client sees
 * partial data. A load balancer sends no calls then (`/readyz` fails), but a single process still receives them.
 */
export function refuseHalfBuilt(app: FastifyInstance, areComplete: () => Promise<boolean>): void {
  // Runs before a reading call is charged, because a 503 costs no quota.
  app.addHook('preValidation', async () => {
    if (await areComplete()) return
    throw new ProblemError(problem('unavailable', 'The data for this version is still being built; try again'))
  })
}
