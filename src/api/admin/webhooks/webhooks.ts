import type { FastifyInstance, FastifyReply, FastifySchema } from 'fastify'
import type { Static } from '@sinclair/typebox'
import {
  changeWebhook,
  createWebhook,
  rotateWebhookSecret,
  type WebhookWithSecret,
} from '#accounts/webhooks/change-webhook'
import { findWebhook, listWebhooks, findResumePosition } from '#accounts/webhooks/read-webhooks'
import type { LedgerDb } from '#ledger/tables'
import { NO_CONTENT, describeAction } from '#http/openapi/schema-parts'
import { refuseField } from '#http/server/problem'
import { NOT_A_TIME, readInstant } from '#http/server/query-values'
import { actingUser, JSON_BODY, MERGE_PATCH_BODY, setPositionHeader, trimTexts } from '../company-schemas.ts'
import { addDeliveryRoutes } from './deliveries.ts'
import {
  WEBHOOK_ACTIONS,
  ofWebhook,
  readWebhookId,
  requireWebhook,
  type WebhookRouteServices,
  CreateWebhookBody,
  EditWebhookBody,
  readSettings,
  renderWebhook,
  ResumeBody,
  RotateWebhookBody,
  ShownWebhook,
  ShownWebhookWithSecret,
  WebhookList,
} from './webhook-schemas.ts'

const trim = trimTexts('url', 'description')

const LIST_WEBHOOKS = {
  operationId: 'listWebhooks',
  summary: 'List webhooks, oldest first',
  description: 'All webhooks of the company, on one page. Secrets are not shown.',
  response: { 200: WebhookList },
} as const satisfies FastifySchema

const GET_WEBHOOK = {
  operationId: 'getWebhook',
  summary: 'Get a webhook and its progress',
  description: 'The secret is not shown.',
  ...ofWebhook,
  response: { 200: ShownWebhook },
} as const satisfies FastifySchema

const CREATE_WEBHOOK = {
  operationId: 'createWebhook',
  summary: 'Create a webhook',
  description:
    'The secret is shown only once. Messages begin with the next event. A company can have at most 20 webhooks.',
  body: CreateWebhookBody,
  response: { 201: ShownWebhookWithSecret },
  problems: ['too_many_webhooks', 'secrets_key_missing'],
} as const satisfies FastifySchema

const EDIT_WEBHOOK = {
  operationId: 'editWebhook',
  summary: 'Change the settings of a webhook',
  description: 'The change applies to the messages that follow. The secret stays the same.',
  ...ofWebhook,
  body: EditWebhookBody,
  response: { 200: ShownWebhook },
} as const satisfies FastifySchema

const REMOVE_WEBHOOK = {
  operationId: 'removeWebhook',
  summary: 'Remove a webhook permanently',
  description: 'No more messages are sent. This cannot be undone.',
  ...ofWebhook,
  response: { 204: NO_CONTENT },
} as const satisfies FastifySchema

const PAUSE_WEBHOOK = {
  ...ofWebhook,
  ...describeAction(WEBHOOK_ACTIONS.pause),
  response: { 200: ShownWebhook },
} as const satisfies FastifySchema

const RESUME_WEBHOOK = {
  ...ofWebhook,
  ...describeAction(WEBHOOK_ACTIONS.resume),
  body: ResumeBody,
  isBodyOptional: true,
  response: { 200: ShownWebhook },
} as const satisfies FastifySchema

const ROTATE_WEBHOOK_SECRET = {
  operationId: 'rotateWebhookSecret',
  summary: 'Rotate the secret of a webhook',
  description: 'The new secret is shown only once. Messages are signed with both for `overlap_seconds`.',
  ...ofWebhook,
  body: RotateWebhookBody,
  isBodyOptional: true,
  response: { 200: ShownWebhookWithSecret },
  problems: ['webhook_not_found', 'secrets_key_missing'],
} as const satisfies FastifySchema

/** Routes to manage webhooks, for administrators. Each change is an event. */
export function webhookRoutes(app: FastifyInstance, services: WebhookRouteServices): void {
  const { db, webhooks } = services
  app.get('/webhooks', { schema: LIST_WEBHOOKS }, async (request) => ({
    items: (await listWebhooks(db, actingUser(request).companyId)).map(renderWebhook),
  }))

  app.get('/webhooks/:id', { schema: GET_WEBHOOK }, async (request) => {
    const id = readWebhookId(request.params.id)
    return renderWebhook(requireWebhook(await findWebhook(db, actingUser(request).companyId, id)))
  })

  app.post('/webhooks', { schema: CREATE_WEBHOOK, ...JSON_BODY, preValidation: trim }, async (request, reply) => {
    const settings = readSettings(request.body, webhooks.allowsHttp)
    const created = await createWebhook(webhooks, actingUser(request), settings)
    void reply.code(201).header('location', `/admin/v1/webhooks/${created.webhook.id}`)
    return showWithSecret(reply, created)
  })

  app.patch(
    '/webhooks/:id',
    { schema: EDIT_WEBHOOK, ...MERGE_PATCH_BODY, preValidation: trim },
    async (request, reply) => {
      const change = { change: 'edit', settings: readSettings(request.body, webhooks.allowsHttp) } as const
      const changed = await changeWebhook(webhooks, actingUser(request), readWebhookId(request.params.id), change)
      setPositionHeader(reply, changed.position)
      return renderWebhook(changed)
    },
  )

  app.post('/webhooks/:id/pause', { schema: PAUSE_WEBHOOK, ...JSON_BODY }, async (request, reply) => {
    const id = readWebhookId(request.params.id)
    const changed = await changeWebhook(webhooks, actingUser(request), id, { change: 'pause' })
    setPositionHeader(reply, changed.position)
    return renderWebhook(changed)
  })

  app.post('/webhooks/:id/resume', { schema: RESUME_WEBHOOK, ...JSON_BODY }, async (request, reply) => {
    const id = readWebhookId(request.params.id)
    const acting = actingUser(request)
    const position = await readResumePosition(db, acting.companyId, request.body)
    const change = { change: 'resume', ...(position === undefined ? {} : { position }) } as const
    const changed = await changeWebhook(webhooks, acting, id, change)
    setPositionHeader(reply, changed.position)
    return renderWebhook(changed)
  })

  app.post('/webhooks/:id/rotate', { schema: ROTATE_WEBHOOK_SECRET, ...JSON_BODY }, async (request, reply) => {
    const id = readWebhookId(request.params.id)
    const { overlap_seconds: overlap } = request.body
    return showWithSecret(reply, await rotateWebhookSecret(webhooks, actingUser(request), id, overlap))
  })

  app.delete('/webhooks/:id', { schema: REMOVE_WEBHOOK, ...JSON_BODY }, async (request, reply) => {
    const id = readWebhookId(request.params.id)
    const { position } = await changeWebhook(webhooks, actingUser(request), id, { change: 'remove' })
    return setPositionHeader(reply.code(204), position).send()
  })

  addDeliveryRoutes(app, services)
}

/** Shows a webhook together with its new secret. */
function showWithSecret(reply: FastifyReply, { secret, position, ...seen }: WebhookWithSecret) {
  setPositionHeader(reply, position)
  return { ...renderWebhook(seen), secret }
}

/** Reads the position after which deliveries go on; undefined for where they stopped. Throws a problem at the field. */
async function readResumePosition(
  db: LedgerDb,
  companyId: string,
  { after, since }: Static<typeof ResumeBody>,
): Promise<number | undefined> {
  if (since === undefined) return after
  if (after !== undefined) throw refuseField('/since', 'since must not be combined with after')
  const time = readInstant(since)
  if (time === null) throw refuseField('/since', `since ${NOT_A_TIME}`)
  return findResumePosition(db, companyId, time)
}
