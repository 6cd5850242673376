import type { FastifyInstance } from 'fastify'
import { Type } from '@sinclair/typebox'
import type { Kysely } from 'kysely'
import { problem } from '../../domain/errors.ts'
import { NoteFileError } from '../../ledger/audit/note-files.ts'
import type { CheckpointSigner, SignedCheckpoint } from '../../ledger/audit/sign-checkpoint.ts'
import { NoSigningKeyError, RefusedToSignError } from '../../ledger/audit/sign-checkpoint.ts'
import type { LedgerTables } from '../../ledger/tables.ts'
import { userOf } from '../access/authorize-user.ts'
import { idsOf } from '../server/log-ids.ts'
import { ProblemError } from '../server/problem.ts'

const NoQuery = Type.Object({}, { additionalProperties: false })
const PublicKey = Type.String({
  description: 'a verifier key of signed notes: `name+id+base64(0x01 ‖ Ed25519 public key)`',
})

const CHECKPOINT = {
  operationId: 'getCheckpoint',
  summary: 'Sign the head of the ledger as it is now',
  description:
    'A C2SP `tlog-checkpoint`: the size of the ledger and the root of its Merkle tree (RFC 6962), signed with Ed25519. ' +
    'Whoever keeps it can tell later whether anything up to there was changed. When the ledger is shorter than, or ' +
    'another one than, the last checkpoint that the service keeps outside its database, nothing is signed: 503.',
  tags: ['Audit'],
  querystring: NoQuery,
  response: {
    200: Type.Object({
      position: Type.Integer({
        minimum: 0,
        description: 'the position of the last event, which is the size of the tree',
      }),
      root: Type.String({ description: 'the root of the tree, base64' }),
      note: Type.String({ description: 'the signed note; verify over these very characters' }),
      public_key: PublicKey,
    }),
  },
}

const KEYS = {
  operationId: 'listAuditKeys',
  summary: 'List the public keys that sign checkpoints, or did',
  description: 'Notes that a retired key signed stay good. The current key, if there is one, comes first.',
  tags: ['Audit'],
  querystring: NoQuery,
  response: {
    200: Type.Object({
      items: Type.Array(
        Type.Object({
          public_key: PublicKey,
          status: Type.Unsafe<string>({ type: 'string', enum: ['current', 'retired'] }),
        }),
      ),
      next_cursor: Type.Null({ description: 'all keys come at once' }),
    }),
  },
}

/** `GET /audit/v1/checkpoint` and `GET /audit/v1/keys`. */
export function checkpoints(
  app: FastifyInstance,
  services: { db: Kysely<LedgerTables>; signer: CheckpointSigner },
): void {
  const { db, signer } = services
  app.get('/checkpoint', { schema: CHECKPOINT }, async (request) => {
    try {
      return shown(await signer.sign(db, userOf(request).companyId))
    } catch (error) {
      const reason = refusal(error)
      if (reason === null) throw error
      request.log.error({ err: error, ...idsOf(request) }, 'no checkpoint was signed')
      throw new ProblemError(problem('unavailable', reason))
    }
  })
  app.get('/keys', { schema: KEYS }, async (request) => {
    const { current, retired } = signer.publicKeys(userOf(request).companyId)
    const first = current === null ? [] : [{ public_key: current, status: 'current' }]
    return { items: [...first, ...retired.map((key) => ({ public_key: key, status: 'retired' }))], next_cursor: null }
  })
}

function shown({ size, root, note, publicKey }: SignedCheckpoint) {
  return { position: size, root: root.toString('base64'), note, public_key: publicKey }
}

/** Why nothing is signed, in words that tell nothing of the server's insides; null when that is not what went wrong. */
function refusal(error: unknown): string | null {
  if (error instanceof NoSigningKeyError) return 'checkpoints are not signed here: the service was given no signing key'
  if (error instanceof RefusedToSignError) return error.message
  if (error instanceof NoteFileError) {
    return 'the last checkpoint that was kept outside the database cannot be read, so nothing is signed until an operator has looked'
  }
  return null
}
