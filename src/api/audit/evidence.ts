import type { FastifyInstance, FastifySchema, FastifyReply, FastifyRequest } from 'fastify'
import { Type, type Static } from '@sinclair/typebox'
import { isId } from '#domain/ids'
import { type EvidenceSubject, NoEvidenceError } from '#ledger/evidence/evidence-subject'
import { userOf } from '#http/access/authorize-user'
import { STREAMED_ROUTE } from '#http/access/heavy-reads'
import { optionalString, strictObject } from '#http/openapi/schema-parts'
import { invalidQuery, parseTime } from '#http/server/query-values'
import type { AuditServices } from './audit-services.ts'
import { type EvidenceServices, type PlannedEvidence, planEvidence, writeEvidence } from '#evidence/evidence-file'
import type { LedgerDb } from '#ledger/tables'
import { signOrExplain } from './proofs.ts'
import { problemError } from '#http/server/problem'
import { streamTexts, type Reader } from '#http/server/text-stream'

const EvidenceQuery = strictObject({
  employee: optionalString({ minLength: 1, maxLength: 64, description: 'The events of this employee: `emp_…`.' }),
  call: optionalString({ minLength: 1, maxLength: 64, description: 'The events of this call: `log_…`.' }),
  from: optionalString({ format: 'date-time', description: 'Events recorded at or after this time (RFC 3339).' }),
  to: optionalString({ format: 'date-time', description: 'Events recorded before this time (RFC 3339).' }),
})

const SCHEMA = {
  operationId: 'getEvidence',
  summary: 'Get an evidence file',
  description:
    'A zip with the events of an employee, a call, or a period, or of the whole ledger if none of them is given, a ' +
    'proof that they are in the ledger of a checkpoint signed now, a verifier that needs only Python, and a page ' +
    'that describes them in sentences. Erased data are not in it. If the response cannot be completed, for example ' +
    'because data are erased meanwhile, the connection breaks. Returns 503 if no checkpoint can be signed.',
  querystring: EvidenceQuery,
  problems: ['employee_not_found', 'log_not_found'],
  response: {
    200: {
      description: 'The evidence file.',
      content: { 'application/zip': { schema: Type.String({ contentMediaType: 'application/zip' }) } },
    },
  },
} satisfies FastifySchema

/** `GET /audit/v1/evidence`: an evidence file, made as it is sent. */
export function evidence(app: FastifyInstance, services: AuditServices) {
  const { db, company, signer, reads, storyteller, authorize } = services
  app.get('/evidence', { ...STREAMED_ROUTE, schema: SCHEMA }, async (request, reply) => {
    const { companyId } = userOf(request)
    const subject = readSubject(request.query)
    const plan = await planOrRefuse({ db, pool: company.pool, signer }, request, companyId, subject)
    const reading = await reads.of(companyId, request.left)
    return sendEvidence({ request, reply, authorize }, reading, storyteller, plan)
  })
}

/** Reads what a file is about: by default, the whole ledger. Throws a problem if more than one subject is given. */
export function readSubject({ employee, call, from, to }: Static<typeof EvidenceQuery>): EvidenceSubject {
  const isPeriod = from !== undefined || to !== undefined
  if ([employee !== undefined, call !== undefined, isPeriod].filter(Boolean).length > 1)
    throw invalidQuery('employee', 'must not be given together with call, from, or to, nor call with from or to')
  if (employee !== undefined) {
    if (!isId('emp', employee)) throw invalidQuery('employee', 'must be the id of an employee')
    return { kind: 'employee', id: employee }
  }
  if (call !== undefined) {
    if (!isId('log', call)) throw invalidQuery('call', 'must be a call id')
    return { kind: 'call', id: call }
  }
  return {
    kind: 'period',
    from: from === undefined ? null : parseTime('from', from),
    to: to === undefined ? null : parseTime('to', to),
  }
}

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
    if (error instanceof NoEvidenceError) throw problemError(CODES[error.reason], error.message)
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
