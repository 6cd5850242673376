import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Kysely } from 'kysely'
import type { CheckpointSigner } from '../../ledger/audit/sign-checkpoint.ts'
import type { Reads } from '../../ledger/read/reads.ts'
import type { LedgerTables } from '../../ledger/tables.ts'
import type { SessionSettings } from '../access/session.ts'
import type { StreamLimits } from '../live/live-stream.ts'
import type { OpenStreams } from '../live/open-streams.ts'

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
