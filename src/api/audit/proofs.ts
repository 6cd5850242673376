import type { FastifyInstance, FastifySchema, FastifyReply, FastifyRequest } from 'fastify'
import { Type } from '@sinclair/typebox'
import { proveConsistency, proveInclusion, FULL_WIDTH, readEntries, readTile, type TilePlace } from '#ledger/read/prove'
import { readHead } from '#ledger/read/read-head'
import { namedObject, strictObject, nullable, oneOf, count, text } from '#http/openapi/schema-parts'
import { userOf } from '#http/access/authorize-user'
import { invalidQuery } from '#http/server/query-values'
import type { AuditServices } from './audit-services.ts'
import { assertNotBeyond, Position } from './event-schemas.ts'
import { STREAMED_ROUTE } from '#http/access/heavy-reads'
import { problemError } from '#http/server/problem'
import type { TreeHead } from '#ledger/audit/signed-note'
import { explainRefusal, type SignedCheckpoint } from '#ledger/audit/sign-checkpoint'
import { idsOf } from '#http/server/access-log'

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
    'A Merkle audit path (RFC 6962 section 2.1.1). `leaf_index` is the position minus one. The leaf is the hash ' +
    'of the ' +
    "event's `envelope` in the proof format. Compare the root with that of a checkpoint of the same size.",
  querystring: InclusionQuery,
  response: { 200: InclusionProof },
} satisfies FastifySchema

const CONSISTENCY = {
  operationId: 'proveConsistency',
  summary: 'Prove that a smaller ledger is a prefix of a larger one',
  description: 'A Merkle consistency proof (RFC 6962 section 2.1.2). Compare the roots with those of checkpoints.',
  querystring: ConsistencyQuery,
  response: { 200: ConsistencyProof },
} satisfies FastifySchema

/** `GET /audit/v1/proofs/…`: proofs for clients that do not download the whole ledger. */
export function proofs(app: FastifyInstance, { db }: AuditServices) {
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

function inBase64(hash: Buffer) {
  return hash.toString('base64')
}

const PREFIX = '/tlog/:company_id'
/** A tile never changes. Only the client itself may keep it, because it is for users of the company. */
const FOREVER = 'private, max-age=31536000, immutable'
const MAX_LEVEL = 63

interface Path {
  company_id: string
  level: string
  '*': string
}

/**
 * `GET /audit/v1/tlog/{company_id}/…`: the ledger in the form of https://c2sp.org/tlog-tiles, for clients of other
 * transparency logs. The paths are that specification's, so they are not in the OpenAPI document.
 */
export function tiles(app: FastifyInstance, { db, signer }: AuditServices) {
  const schema = { hide: true }

  app.get<{ Params: Path }>(`${PREFIX}/checkpoint`, { schema }, async (request, reply) => {
    const companyId = requireOwn(request)
    const { note, witnessed } = await signOrExplain(request, () => signer.sign(db, companyId))
    // Clients with a policy can use no other one.
    return reply.type('text/plain; charset=utf-8').send(witnessed?.note ?? note)
  })

  app.get<{ Params: Path }>(`${PREFIX}/tile/entries/*`, { ...STREAMED_ROUTE, schema }, async (request, reply) => {
    const companyId = requireOwn(request)
    const place = parsePlace(request.params['*'])
    return sendTile(reply, place && (await readEntries(db, companyId, place)))
  })

  app.get<{ Params: Path }>(`${PREFIX}/tile/:level/*`, { schema }, async (request, reply) => {
    const companyId = requireOwn(request)
    const [level, place] = [parseLevel(request.params.level), parsePlace(request.params['*'])]
    return sendTile(reply, level === null || !place ? null : await readTile(db, companyId, level, place))
  })
}

/** The company in the path, which must be that of the user. To others, it does not exist. */
function requireOwn(request: FastifyRequest<{ Params: Path }>) {
  const { companyId } = userOf(request)
  if (request.params.company_id !== companyId) throw nothingHere()
  return companyId
}

function sendTile(reply: FastifyReply, tile: Buffer | null) {
  if (!tile) throw nothingHere()
  return reply.header('cache-control', FOREVER).type('application/octet-stream').send(tile)
}

function nothingHere() {
  return problemError('route_not_found', 'There is nothing at this address')
}

function parseLevel(text: string) {
  return /^(?:0|[1-9][0-9]?)$/.test(text) && Number(text) <= MAX_LEVEL ? Number(text) : null
}

/** Parses the number of a tile and its width: `x001/x234/067` is tile 1,234,067, `000.p/5` the first 5 of tile 0. */
function parsePlace(path: string): TilePlace | null {
  const [, outer = '', last, width] = /^((?:x[0-9]{3}\/){0,4})([0-9]{3})(?:\.p\/([1-9][0-9]{0,2}))?$/.exec(path) ?? []
  if (last === undefined || outer.startsWith('x000') || Number(width ?? 0) >= FULL_WIDTH) return null
  return {
    number: Number(outer.replaceAll(/[x/]/g, '') + last),
    width: width === undefined ? FULL_WIDTH : Number(width),
  }
}

const PublicKey = text('A verifier key for signed notes: `name+id+base64(0x01 ‖ Ed25519 public key)`.')

const CHECKPOINT_MEMBERS = {
  position: count('The position of the last event, which is the size of the tree.'),
  root: text('The root of the tree, in base64.'),
  note: text('The signed note. Verify exactly these characters.'),
}

const CHECKPOINT = {
  operationId: 'getCheckpoint',
  summary: 'Sign the current head of the ledger',
  description:
    'A C2SP `tlog-checkpoint`: the size of the ledger and the root of its Merkle tree (RFC 6962), signed with ' +
    'Ed25519, and cosigned by the witnesses that have seen it. `witnessed` is the newest checkpoint that enough of ' +
    'them have seen. Keep it to detect later whether anything up to that position was changed. Returns 503 and signs ' +
    'nothing if the ledger does not continue the last checkpoint that the service keeps outside its database.',
  response: {
    200: Type.Object({
      ...CHECKPOINT_MEMBERS,
      public_key: PublicKey,
      witnessed: nullable(Type.Object(CHECKPOINT_MEMBERS), {
        description: 'The newest checkpoint that a quorum of witnesses has cosigned (C2SP `tlog-cosignature`), if any.',
      }),
    }),
  },
} satisfies FastifySchema

const KEYS = {
  operationId: 'listAuditKeys',
  summary: 'List the current and retired public keys that sign checkpoints',
  description: 'Notes signed with a retired key remain valid. The current key, if any, comes first.',
  response: {
    200: Type.Object({
      items: Type.Array(
        Type.Object({
          public_key: PublicKey,
          status: oneOf(['current', 'retired']),
        }),
      ),
      next_cursor: Type.Null({ description: 'Always null: there is only one page.' }),
    }),
  },
} satisfies FastifySchema

/** `GET /audit/v1/checkpoint` and `GET /audit/v1/keys`. */
export function checkpoints(app: FastifyInstance, { db, signer }: AuditServices) {
  app.get('/checkpoint', { schema: CHECKPOINT }, async (request) => {
    return renderCheckpoint(await signOrExplain(request, () => signer.sign(db, userOf(request).companyId)))
  })
  app.get('/keys', { schema: KEYS }, async (request) => {
    const { current, retired } = signer.publicKeys(userOf(request).companyId)
    const first = current === null ? [] : [{ public_key: current, status: 'current' as const }]
    const others = retired.map((key) => ({ public_key: key, status: 'retired' as const }))
    return { items: [...first, ...others], next_cursor: null }
  })
}

/** Does what needs a signed checkpoint. If nothing is signed, throws a problem that says why. */
export async function signOrExplain<Result>(request: FastifyRequest, sign: () => Promise<Result>) {
  try {
    return await sign()
  } catch (error) {
    const reason = explainRefusal(error)
    if (reason === null) throw error
    request.log.error({ err: error, ...idsOf(request) }, 'no checkpoint was signed')
    throw problemError('unavailable', reason)
  }
}

function renderCheckpoint({ size, root, note, publicKey, witnessed }: SignedCheckpoint) {
  return {
    ...renderHead({ size, root }, note),
    public_key: publicKey,
    witnessed: witnessed && renderHead(witnessed.checkpoint, witnessed.note),
  }
}

function renderHead({ size, root }: TreeHead, note: string) {
  return { position: size, root: root.toString('base64'), note }
}
