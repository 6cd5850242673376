import type { FastifyReply, FastifyRequest } from 'fastify'
import type { EvidenceServices } from '#evidence/evidence-file'
import type { CheckpointSigner } from '#ledger/audit/sign-checkpoint'
import type { Reads } from '#ledger/read/reads'
import type { LedgerDb } from '#ledger/tables'
import type { SessionSettings } from '#http/access/session'
import type { StreamLimits, OpenStreams } from '#http/live/live-stream'

export interface AuditRouteServices {
  db: LedgerDb
  /** The primary, on connections that long reads do not use. */
  access: LedgerDb
  reads: Reads
  company: Pick<EvidenceServices, 'pool'>
  storyteller: EvidenceServices['storyteller']
  limits: StreamLimits
  streams: OpenStreams
  companiesTogether?: number | undefined
  sessions: SessionSettings
  signer: CheckpointSigner
  /** Failed authentications of one address in a minute. 0 means no limit. */
  failureLimit: number
}

export interface AuditServices extends Omit<AuditRouteServices, 'failureLimit' | 'sessions'> {
  /** Throws if the user of the request may not, or may no longer, read the ledger. */
  authorize(request: FastifyRequest, reply: FastifyReply): Promise<void>
}
