import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { fastifySSE } from '@fastify/sse'
import type { Kysely } from 'kysely'
import type { Reads } from '../../ledger/reads.ts'
import type { CheckpointSigner } from '../../ledger/sign-checkpoint.ts'
import type { LedgerTables } from '../../ledger/tables.ts'
import { authenticateUser, requireRole } from '../authorize-user.ts'
import type { StreamLimits } from '../live/live-stream.ts'
import type { OpenStreams } from '../live/open-streams.ts'
import { limitFailures } from '../rate-limits.ts'
import type { SessionSettings } from '../session.ts'
import { checkpoints } from './checkpoint.ts'
import { employeeHistory } from './employee-history.ts'
import { events } from './events.ts'
import { eventsStream } from './events-stream.ts'
import { proofs } from './proofs.ts'

export interface AuditRouteServices {
  db: Kysely<LedgerTables>
  /** The primary on connections that no long read takes. */
  access: Kysely<LedgerTables>
  reads: Reads
  limits: StreamLimits
  streams: OpenStreams
  sessions: SessionSettings
  signer: CheckpointSigner
  /** Failures of one address to prove who it is, in a minute; 0 is no limit. */
  failureLimit: number
}

export interface AuditServices extends Omit<AuditRouteServices, 'failureLimit' | 'sessions' | 'signer'> {
  /** Throws when the request's user may not (any more) read the ledger. */
  authorize(request: FastifyRequest, reply: FastifyReply): Promise<void>
}

/** What auditors and administrators read of the company's ledger. Nothing here changes anything. */
export async function auditRoutes(app: FastifyInstance, { failureLimit, sessions, signer, ...services }: AuditRouteServices): Promise<void> {
  const [authenticate, assertRole] = [authenticateUser(services.access, sessions, 'audit'), requireRole('auditor', 'admin')]
  const authorize = async (request: FastifyRequest, reply: FastifyReply) => {
    await authenticate(request, reply)
    await assertRole(request, reply)
  }
  app.addHook('onRequest', limitFailures(app, failureLimit, authorize))
  // Answers tell of people.
  app.addHook('onRequest', async (_request, reply) => void reply.header('cache-control', 'no-store'))
  await app.register(fastifySSE)
  const audit = { ...services, authorize }
  events(app, audit)
  eventsStream(app, audit)
  checkpoints(app, { db: services.db, signer })
  proofs(app, audit)
  employeeHistory(app, audit)
}
