import type { FastifyInstance, FastifyRequest, FastifySchema } from 'fastify'
import { Type } from '@sinclair/typebox'
import { problem } from '../../domain/errors.ts'
import type { TreeHead } from '../../ledger/audit/checkpoint-note.ts'
import { explainRefusal, type SignedCheckpoint } from '../../ledger/audit/sign-checkpoint.ts'
import { userOf } from '../../http/access/authorize-user.ts'
import { nullable, oneOf, text, count } from '../../http/openapi/schema-parts.ts'
import { idsOf } from '../../http/server/access-log.ts'
import { ProblemError } from '../../http/server/problem.ts'
import type { AuditServices } from './audit-services.ts'

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
    'A C2SP `tlog-checkpoint`: the size of the ledger and the root of its Merkle tree (RFC 6962), signed with Ed25519, ' +
    'and cosigned by the witnesses that have seen it. `witnessed` is the newest checkpoint that enough of them have seen. ' +
    'Keep it to detect later whether anything up to that position was changed. Returns 503 and signs nothing if the ' +
    'ledger does not continue the last checkpoint that the service keeps outside its database.',
  response: {
    200: Type.Object({
      ...CHECKPOINT_MEMBERS,
      public_key: PublicKey,
      witnessed: nullable(Type.Object(CHECKPOINT_MEMBERS), {
        description: 'The newest checkpoint that a quorum of witnesses has cosigned (C2SP `tlog-cosignature`), if any.',
      }),
    }),
  },
} as const satisfies FastifySchema

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
} as const satisfies FastifySchema

/** `GET /audit/v1/checkpoint` and `GET /audit/v1/keys`. */
export function checkpoints(app: FastifyInstance, { db, signer }: AuditServices): void {
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
export async function signOrExplain<Result>(request: FastifyRequest, sign: () => Promise<Result>): Promise<Result> {
  try {
    return await sign()
  } catch (error) {
    const reason = explainRefusal(error)
    if (reason === null) throw error
    request.log.error({ err: error, ...idsOf(request) }, 'no checkpoint was signed')
    throw new ProblemError(problem('unavailable', reason))
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
