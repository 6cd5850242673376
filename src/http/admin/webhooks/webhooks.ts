import type { FastifyInstance, FastifySchema } from 'fastify'
import { changeWebhook, createWebhook, NO_SUCH_WEBHOOK } from '../../../accounts/webhooks/change-webhook.ts'
import { findWebhook, listWebhooks } from '../../../accounts/webhooks/read-webhooks.ts'
import { NO_CONTENT } from '../../openapi/schema-parts.ts'
import { ProblemError } from '../../server/problem.ts'
import { actingUser, JSON_BODY, MERGE_PATCH_BODY, setPositionHeader, trimTexts } from '../company-schemas.ts'
import { addDeliveryRoutes } from './deliveries.ts'
import { addWebhookActions } from './webhook-actions.ts'
import { ofWebhook, readWebhookId, showWithSecret, type WebhookRouteServices } from './webhook-routes.ts'
import {
  CreateWebhookBody,
  EditWebhookBody,
  readSettings,
  renderWebhook,
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

/** Routes to manage webhooks, for administrators. Each change is an event. */
export function webhookRoutes(app: FastifyInstance, services: WebhookRouteServices): void {
  const { db, webhooks } = services
  app.get('/webhooks', { schema: LIST_WEBHOOKS }, async (request) => ({
    items: (await listWebhooks(db, actingUser(request).companyId)).map(renderWebhook),
  }))

  app.get('/webhooks/:id', { schema: GET_WEBHOOK }, async (request) => {
    const webhook = await findWebhook(db, actingUser(request).companyId, readWebhookId(request.params.id))
    if (!webhook) throw new ProblemError(NO_SUCH_WEBHOOK)
    return renderWebhook(webhook)
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

  addWebhookActions(app, services)
  app.delete('/webhooks/:id', { schema: REMOVE_WEBHOOK, ...JSON_BODY }, async (request, reply) => {
    const id = readWebhookId(request.params.id)
    const { position } = await changeWebhook(webhooks, actingUser(request), id, { change: 'remove' })
    return setPositionHeader(reply.code(204), position).send()
  })

  addDeliveryRoutes(app, services)
}
