import type { FastifyInstance, FastifyRequest } from 'fastify'
import { conditionWithoutTag, findFailedCondition, type Preconditions } from '#domain/employees/entity-tag'
import { ProblemError, problemError } from './problem.ts'

/** The methods that change nothing. */
const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD'])

/** The conditions that a request sets (RFC 9110 section 13.1). */
export function preconditionsOf({ headers }: FastifyRequest): Preconditions {
  return { ifMatch: headers['if-match'], ifNoneMatch: headers['if-none-match'] }
}

/**
 * Refuses changes with a condition that does not hold, on routes whose resources have no entity tag. A client that names
 * a version relies on it, so it must not be ignored (RFC 9110 section 13.2.1).
 */
export function refuseFailedConditions(app: FastifyInstance): void {
  app.addHook('preHandler', async (request) => {
    const failed = SAFE.has(request.method) ? null : findFailedCondition(preconditionsOf(request), null)
    if (failed) throw new ProblemError(conditionWithoutTag(failed))
  })
}

/**
 * Answers 503 while a read model of this version is being filled for the first time, so that nobody sees a part of it.
 * By then, `/readyz` keeps a load balancer from sending calls here; a single process receives them anyway.
 */
export function refuseHalfBuilt(app: FastifyInstance, areComplete: () => Promise<boolean>): void {
  // Runs before the quota is charged: a 503 costs nothing.
  app.addHook('preValidation', async () => {
    if (await areComplete()) return
    throw problemError('unavailable', 'The data that this call reads is still being built; try again')
  })
}
