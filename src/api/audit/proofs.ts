import type { FastifyInstance, FastifySchema } from 'fastify'
import { Type } from '@sinclair/typebox'
import { proveConsistency, proveInclusion } from '../../ledger/read/prove.ts'
import { readHead } from '../../ledger/read/read-head.ts'
import { namedObject, strictObject } from '../../http/openapi/schema-parts.ts'
import { userOf } from '../../http/access/authorize-user.ts'
import { invalidQuery } from '../../http/server/query-values.ts'
import type { AuditServices } from './audit-services.ts'
import { assertNotBeyond, Position } from './event-schemas.ts'

const positionIn = (description: string) => Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description })
const OR_HEAD = 'Default: the current size of the ledger.'
const Hash = Type.String({
  contentEncoding: 'base64',
  pattern: '^[A-Za-z0-9+/]{43}=$',
  description: '32 bytes in base64.',
})

const InclusionQuery = strictObject({
  position: positionIn('The position of the event.'),
  size: Type.Optional(positionIn(`The number of events in the tree. ${OR_HEAD}`)),
})
const ConsistencyQuery = strictObject({
  from: positionIn('The number of events in the smaller tree.'),
  to: Type.Optional(positionIn(`The number of events in the larger tree. ${OR_HEAD}`)),
})

const InclusionProof = namedObject('InclusionProof', {
  position: Position,
  size: Position,
  leaf: Hash,
  root: Hash,
  hashes: Type.Array(Hash, { description: 'From the leaf to the root.' }),
})
const ConsistencyProof = namedObject('ConsistencyProof', {
  from: Position,
  to: Position,
  from_root: Hash,
  to_root: Hash,
  hashes: Type.Array(Hash, { description: 'From the bottom to the root.' }),
})

const INCLUSION = {
  operationId: 'proveInclusion',
  summary: 'Prove that an event is in the ledger',
  description:
    'A Merkle audit path (RFC 6962 section 2.1.1). `leaf_index` is the position minus one. The leaf is the hash of the ' +
    "event's `envelope` in the proof format. Compare the root with that of a checkpoint of the same size.",
  querystring: InclusionQuery,
  response: { 200: InclusionProof },
} as const satisfies FastifySchema

const CONSISTENCY = {
  operationId: 'proveConsistency',
  summary: 'Prove that a smaller ledger is a prefix of a larger one',
  description: 'A Merkle consistency proof (RFC 6962 section 2.1.2). Compare the roots with those of checkpoints.',
  querystring: ConsistencyQuery,
  response: { 200: ConsistencyProof },
} as const satisfies FastifySchema

/** `GET /audit/v1/proofs/…`: proofs for clients that do not download the whole ledger. */
export function proofs(app: FastifyInstance, { db }: AuditServices): void {
  app.get('/proofs/inclusion', { schema: INCLUSION }, async (request) => {
    const { companyId } = userOf(request)
    const head = await readHead(db, companyId)
    const { position, size = head.position } = request.query
    assertNotBeyond('size', size, head.position)
    if (position > size) throw invalidQuery('position', 'is greater than the size of the tree')
    const { leaf, root, hashes } = await proveInclusion(db, companyId, head, { position, size })
    return { position, size, leaf: inBase64(leaf), root: inBase64(root), hashes: hashes.map(inBase64) }
  })

  app.get('/proofs/consistency', { schema: CONSISTENCY }, async (request) => {
    const { companyId } = userOf(request)
    const head = await readHead(db, companyId)
    const { from, to = head.position } = request.query
    assertNotBeyond('to', to, head.position)
    if (from > to) throw invalidQuery('from', 'is greater than the size of the larger tree')
    const { fromRoot, toRoot, hashes } = await proveConsistency(db, companyId, head, { from, to })
    return { from, to, from_root: inBase64(fromRoot), to_root: inBase64(toRoot), hashes: hashes.map(inBase64) }
  })
}

function inBase64(hash: Buffer): string {
  return hash.toString('base64')
}
