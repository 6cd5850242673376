import type { FastifyInstance, FastifyReply, FastifySchema } from 'fastify'
import type { CompanyServices } from '#accounts/change-company'
import {
  findApiKey,
  listApiKeys,
  changeApiKey,
  NO_SUCH_KEY,
  rotateApiKey,
  issueApiKeyRecord,
  type KeyWithSecret,
} from '#accounts/api-keys/api-keys'
import type { LedgerDb } from '#ledger/tables'
import { pageBefore, pageOf } from '#http/server/query-values'
import {
  AllowBody,
  EditBody,
  IssueBody,
  KeyList,
  KeyListQuery,
  readEdit,
  readNewKey,
  RotateBody,
  renderKey,
  ShownKey,
  ShownKeyWithSecret,
} from './api-key-schemas.ts'
import { actingUser, JSON_BODY, MERGE_PATCH_BODY, setPositionHeader, trimName } from './company-schemas.ts'
import { idIn, type Action, describeAction } from '#http/openapi/schema-parts'

/** What can be done with a key, besides editing and rotation. */
export const KEY_ACTIONS = {
  disable: {
    operationId: 'disableApiKey',
    summary: 'Disable an API key',
    description: 'Its calls are refused until the key is enabled.',
    problems: ['key_not_found', 'key_revoked'],
    button: 'Disable',
    question: 'Calls with this key are refused immediately, until you enable it again.',
    done: 'disabled',
    notice: 'Key disabled. Its calls are refused until you enable it.',
  },
  enable: {
    operationId: 'enableApiKey',
    summary: 'Enable a disabled API key',
    description: 'Its calls are accepted again.',
    problems: ['key_not_found', 'key_revoked'],
    button: 'Enable',
    done: 'enabled',
    notice: 'Key enabled.',
  },
  revoke: {
    operationId: 'revokeApiKey',
    summary: 'Revoke an API key permanently',
    description: 'Its calls are refused from now on. The key stays in the list, and can never be used again.',
    problems: ['key_not_found'],
    button: 'Revoke key',
    done: 'revoked',
    notice: "Key revoked. This can't be undone.",
  },
} as const satisfies Record<string, Action>

/** The id of a key in a path, and the key with it. */
export const { schema: ofKey, read: readKeyId, require: requireKey } = idIn('API key', 'key', NO_SUCH_KEY)

const LIST_API_KEYS = {
  operationId: 'listApiKeys',
  summary: 'List API keys, newest first',
  description: 'Keys of every status, with their usage in the current period. Secrets are not shown.',
  querystring: KeyListQuery,
  response: { 200: KeyList },
} satisfies FastifySchema

const GET_API_KEY = {
  operationId: 'getApiKey',
  summary: 'Get an API key and its usage',
  description: 'The secret is not shown.',
  ...ofKey,
  response: { 200: ShownKey },
} satisfies FastifySchema

const ISSUE_API_KEY = {
  operationId: 'issueApiKey',
  summary: 'Issue an API key',
  description: 'The secret is shown only once. A key can be used at once, and without limits other than those given.',
  body: IssueBody,
  response: { 201: ShownKeyWithSecret },
} satisfies FastifySchema

const EDIT_API_KEY = {
  operationId: 'editApiKey',
  summary: 'Rename an API key, or change its quota, access, or limits',
  description: 'The change applies at once. The secret stays the same.',
  ...ofKey,
  body: EditBody,
  response: { 200: ShownKey },
  problems: ['key_not_found', 'key_revoked'],
} satisfies FastifySchema

const ROTATE_API_KEY = {
  operationId: 'rotateApiKey',
  summary: 'Rotate the secret of an API key',
  description: 'The new secret is shown only once. The current one keeps working for `overlap_seconds`.',
  ...ofKey,
  body: RotateBody,
  isBodyOptional: true,
  response: { 200: ShownKeyWithSecret },
  problems: ['key_not_found', 'key_revoked'],
} satisfies FastifySchema

const ALLOW_EXCESS = {
  operationId: 'allowExcess',
  summary: 'Allow an API key more than its daily limits, once',
  description:
    'For the next 24 hours, calls of the key pass that deactivate or change up to so many people, whatever its ' +
    'limits. It replaces what was allowed before. Null allows nothing more.',
  ...ofKey,
  body: AllowBody,
  response: { 200: ShownKey },
  problems: ['key_not_found', 'key_revoked'],
} satisfies FastifySchema

/** Routes to manage API keys, for administrators. Each change is an event and takes effect at once in every process. */
export function apiKeys(app: FastifyInstance, db: LedgerDb, services: CompanyServices) {
  app.get('/api-keys', { schema: LIST_API_KEYS }, async (request) => {
    const keys = await listApiKeys(db, actingUser(request).companyId, pageBefore('key', request.query))
    return pageOf(keys, request.query.limit, ({ key }) => key.id, renderKey)
  })

  app.get('/api-keys/:id', { schema: GET_API_KEY }, async (request) => {
    const id = readKeyId(request.params.id)
    return renderKey(requireKey(await findApiKey(db, actingUser(request).companyId, id)))
  })

  app.post('/api-keys', { schema: ISSUE_API_KEY, ...JSON_BODY, preValidation: trimName }, async (request, reply) => {
    const issued = await issueApiKeyRecord(services, { ...actingUser(request), ...readNewKey(request.body) })
    void reply.code(201).header('location', `/admin/v1/api-keys/${issued.key.id}`)
    return showWithSecret(reply, issued)
  })

  app.patch(
    '/api-keys/:id',
    { schema: EDIT_API_KEY, ...MERGE_PATCH_BODY, preValidation: trimName },
    async (request, reply) => {
      const id = readKeyId(request.params.id)
      const changed = await changeApiKey(services, actingUser(request), id, readEdit(request.body))
      setPositionHeader(reply, changed.position)
      return renderKey(changed)
    },
  )

  app.post('/api-keys/:id/rotate', { schema: ROTATE_API_KEY, ...JSON_BODY }, async (request, reply) => {
    const id = readKeyId(request.params.id)
    return showWithSecret(reply, await rotateApiKey(services, actingUser(request), id, request.body.overlap_seconds))
  })

  app.post('/api-keys/:id/allow', { schema: ALLOW_EXCESS, ...JSON_BODY }, async (request, reply) => {
    const id = readKeyId(request.params.id)
    const changed = await changeApiKey(services, actingUser(request), id, { change: 'allow', ...request.body })
    setPositionHeader(reply, changed.position)
    return renderKey(changed)
  })

  for (const change of Object.keys(KEY_ACTIONS) as (keyof typeof KEY_ACTIONS)[]) {
    const schema = { ...ofKey, ...describeAction(KEY_ACTIONS[change]), response: { 200: ShownKey } }
    app.post(`/api-keys/:id/${change}`, { schema, ...JSON_BODY }, async (request, reply) => {
      const changed = await changeApiKey(services, actingUser(request), readKeyId(request.params.id), { change })
      setPositionHeader(reply, changed.position)
      return renderKey(changed)
    })
  }
}

function showWithSecret(reply: FastifyReply, { key, now, secret, position }: KeyWithSecret) {
  setPositionHeader(reply, position)
  return { ...renderKey({ key, now }), api_key: secret }
}
