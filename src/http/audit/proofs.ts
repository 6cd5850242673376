import type { FastifyInstance, FastifySchema } from 'fastify'
import type { Static } from '@sinclair/typebox'
import { Type } from '@sinclair/typebox'
import { proveConsistency, proveInclusion } from '../../ledger/read/prove.ts'
import { readHead } from '../../ledger/read/read-head.ts'
import { STRICT } from '../openapi/schema-parts.ts'
import { userOf } from '../access/authorize-user.ts'
import { invalidQuery } from '../server/query-values.ts'
import type { AuditServices } from './audit-services.ts'
import { assertNotBeyond, Position } from './event-schemas.ts'

const positionIn = (description: string) => Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description })
const OR_HEAD = 'without it, the size that the ledger has'
const Hash = Type.String({
  contentEncoding: 'base64',
  pattern: '^[A-Za-z0-9+/]{43}=$',
  description: '32 bytes in base64.',
})

const InclusionQuery = Type.Object(
  {
    position: positionIn('The position of the event.'),
    size: Type.Optional(positionIn(`How many events the tree has; ${OR_HEAD}.`)),
  },
  STRICT,
)
const ConsistencyQuery = Type.Object(
  {
    from: positionIn('How many events the smaller tree has.'),
    to: Type.Optional(positionIn(`How many events the larger tree has; ${OR_HEAD}.`)),
  },
  STRICT,
)

const InclusionProof = Type.Object(
  {
    position: Position,
    size: Position,
    leaf: Hash,
    root: Hash,
    hashes: Type.Array(Hash, { description: 'From the leaf up.' }),
  },
  { $id: 'InclusionProof', ...STRICT },
)
const ConsistencyProof = Type.Object(
  {
    from: Position,
    to: Position,
    from_root: Hash,
    to_root: Hash,
    hashes: Type.Array(Hash, { description: 'From the bottom up.' }),
  },
  { $id: 'ConsistencyProof', ...STRICT },
)

const INCLUSION: FastifySchema = {
  operationId: 'proveInclusion',
  summary: 'Prove that an event is in the ledger',
  description:
    'An audit path of RFC 6962 section 2.1.1; `leaf_index` is the position less one. The leaf is the hash of the ' +
    "event's `envelope` in the proof format; compare the root with that of a checkpoint of the same size.",
  tags: ['Audit'],
  querystring: InclusionQuery,
  response: { 200: InclusionProof },
}

const CONSISTENCY: FastifySchema = {
  operationId: 'proveConsistency',
  summary: 'Prove that the ledger of one size is the beginning of that of another',
  description: 'A consistency proof of RFC 6962 section 2.1.2; compare the roots with those of checkpoints.',
  tags: ['Audit'],
  querystring: ConsistencyQuery,
  response: { 200: ConsistencyProof },
}

/** `GET /audit/v1/proofs/…`: proofs for who does not take the whole ledger. */
export function proofs(app: FastifyInstance, { db }: AuditServices): void {
  app.get<{ Querystring: Static<typeof InclusionQuery> }>(
    '/proofs/inclusion',
    { schema: INCLUSION },
    async (request) => {
      const { companyId } = userOf(request)
      const head = await readHead(db, companyId)
      const { position, size = head.position } = request.query
      assertNotBeyond('size', size, head.position)
      if (position > size) throw invalidQuery('position', 'lies beyond the size of the tree')
      const { leaf, root, hashes } = await proveInclusion(db, companyId, head, { position, size })
      return { position, size, leaf: inBase64(leaf), root: inBase64(root), hashes: hashes.map(inBase64) }
    },
  )

  app.get<{ Querystring: Static<typeof ConsistencyQuery> }>(
    '/proofs/consistency',
    { schema: CONSISTENCY },
    async (request) => {
      const { companyId } = userOf(request)
      const head = await readHead(db, companyId)
      const { from, to = head.position } = request.query
      assertNotBeyond('to', to, head.position)
      if (from > to) throw invalidQuery('from', 'lies beyond the size of the larger tree')
      const { fromRoot, toRoot, hashes } = await proveConsistency(db, companyId, head, { from, to })
      return { from, to, from_root: inBase64(fromRoot), to_root: inBase64(toRoot), hashes: hashes.map(inBase64) }
    },
  )
}

function inBase64(hash: Buffer): string {
  return hash.toString('base64')
}
