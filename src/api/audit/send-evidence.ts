import type { FastifyReply, FastifyRequest } from 'fastify'
import { problem } from '../../domain/errors.ts'
import {
  type EvidenceServices,
  type PlannedEvidence,
  planEvidence,
  writeEvidence,
} from '../../evidence/evidence-file.ts'
import { NoEvidenceError, type EvidenceSubject } from '../../ledger/evidence/evidence-subject.ts'
import type { LedgerDb } from '../../ledger/tables.ts'
import { signOrExplain } from './proofs.ts'
import { ProblemError } from '../../http/server/problem.ts'
import { streamTexts, type Reader } from '../../http/server/text-stream.ts'

const CODES = {
  'unknown-employee': 'employee_not_found',
  'unknown-call': 'log_not_found',
  'empty-period': 'invalid_query',
  'too-scattered': 'invalid_query',
} as const

/** Plans an evidence file. Throws a problem if there is nothing to prove, or if no checkpoint can be signed. */
export async function planOrRefuse(
  services: Omit<EvidenceServices, 'storyteller'>,
  request: FastifyRequest,
  companyId: string,
  subject: EvidenceSubject,
): Promise<PlannedEvidence> {
  try {
    return await signOrExplain(request, () => planEvidence(services, companyId, subject))
  } catch (error) {
    if (error instanceof NoEvidenceError) throw new ProblemError(problem(CODES[error.reason], error.message))
    throw error
  }
}

/** Sends an evidence file as it is made. An error breaks the connection, so the client notices that it is incomplete. */
export async function sendEvidence(
  reader: Reader,
  db: LedgerDb,
  storyteller: EvidenceServices['storyteller'],
  plan: PlannedEvidence,
): Promise<FastifyReply> {
  const streamed = await streamTexts(reader, writeEvidence({ db, storyteller }, plan))
  return sendZip(reader.reply, plan.subject).send(streamed)
}

/** Names a file by its subject. */
export function sendZip(reply: FastifyReply, subject: EvidenceSubject): FastifyReply {
  const name = subject.kind === 'period' ? 'evidence.zip' : `evidence-${subject.id}.zip`
  return reply
    .type('application/zip')
    .header('content-disposition', `attachment; filename="${name}"`)
    .header('cache-control', 'no-store')
}
