import type { AuditRouteServices } from './audit-services.ts'
import type { FastifyInstance } from 'fastify'
import { fastifySSE } from '@fastify/sse'
import { allowScope, authorizeRoles } from '#http/access/authorize-user'
import { limitFailures } from '#http/access/rate-limits'
import { checkpoints, proofs, tiles } from './proofs.ts'
import { employeeHistory } from './employee-history.ts'
import { evidence } from './evidence.ts'
import { events, eventsStream } from './events.ts'

/** Registers the read-only routes of the ledger, for auditors and administrators. */
export async function auditRoutes(app: FastifyInstance, { failureLimit, sessions, ...services }: AuditRouteServices) {
  const authorize = authorizeRoles(services.access, sessions, ['auditor', 'admin'])
  allowScope(app, 'audit')
  app.addHook('onRequest', limitFailures(failureLimit, authorize))
  await app.register(fastifySSE)
  const audit = { ...services, authorize }
  events(app, audit)
  eventsStream(app, audit)
  checkpoints(app, audit)
  proofs(app, audit)
  tiles(app, audit)
  evidence(app, audit)
  employeeHistory(app, audit)
}
