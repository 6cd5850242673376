import type { FastifyInstance, FastifySchema } from 'fastify'
import { Type, type Static } from '@sinclair/typebox'
import {
  type FoundSecret,
  type SecretSearch,
  findSecrets,
  FOUND_BY,
  readSecretSearch,
} from '#accounts/api-keys/find-secrets'
import type { LedgerDb } from '#ledger/tables'
import { userOf } from '#http/access/authorize-user'
import { nullable, oneOf, optionalString, strictObject, flag } from '#http/openapi/schema-parts'
import { renderKey, ShownKey } from './api-key-schemas.ts'
import { HEAVY_JSON_BODY } from './company-schemas.ts'
import { renderToken, ShownToken } from './user-schemas.ts'

/** What is searched for. */
export const SecretSearchBody = strictObject(
  {
    q: optionalString({
      minLength: 1,
      maxLength: 1_000,
      description:
        'A whole secret, or a text with one in it; or an id, the last four characters of a secret, or a part of ' +
        'a name (case-insensitive).',
    }),
    secret_sha256: optionalString({
      pattern: '^[0-9a-f]{64}$',
      description: 'The SHA-256 of a secret (hexadecimal), so that the secret itself is not sent.',
    }),
  },
  { minProperties: 1, maxProperties: 1, description: 'One of the two.' },
)

const FoundList = Type.Object({
  items: Type.Array(
    strictObject(
      {
        found_by: oneOf(
          FOUND_BY,
          'What it was found by. A `previous_secret` works until `rotation.previous_secret_expires_at`; if that ' +
            'is null, it has ended.',
        ),
        api_key: nullable(ShownKey),
        token: nullable(ShownToken),
      },
      { description: 'An API key or a token; the other one is null.' },
    ),
  ),
  is_more: flag('Whether there are more than are listed.'),
  next_cursor: Type.Null({ description: 'Always null: there is only one page.' }),
})

const SCHEMA = {
  operationId: 'findSecrets',
  summary: 'Find the API key or token of a secret',
  description:
    'Finds keys and tokens of every status, and also the previous secret of a key. The request is a POST, so ' +
    'that the secret is in no address; it is neither logged nor returned. A secret of another company is not found.',
  body: SecretSearchBody,
  response: { 200: FoundList },
} satisfies FastifySchema

/** `POST /admin/v1/secrets/find`: finds the keys and tokens of a company by a secret, or by what names them. */
export function secretSearch(app: FastifyInstance, db: LedgerDb) {
  app.post('/secrets/find', { schema: SCHEMA, ...HEAVY_JSON_BODY }, async (request) => {
    const { items, isMore } = await findSecrets(db, userOf(request).companyId, toSecretSearch(request.body))
    return { items: items.map(renderFound), is_more: isMore, next_cursor: null }
  })
}

/** Turns the body into what is searched for. */
export function toSecretSearch({ q, secret_sha256: sha256 }: Static<typeof SecretSearchBody>): SecretSearch {
  return sha256 === undefined ? readSecretSearch(q ?? '') : { hash: Buffer.from(sha256, 'hex') }
}

function renderFound({ by, key, token }: FoundSecret) {
  return { found_by: by, api_key: key && renderKey(key), token: token && renderToken(token) }
}
