import { omitUndefined } from '#domain/omit-undefined'
import type { FastifyInstance, FastifyReply, FastifySchema } from 'fastify'
import { type Static, Type } from '@sinclair/typebox'
import {
  changeWebhook,
  createWebhook,
  rotateWebhookSecret,
  type WebhookWithSecret,
} from '#accounts/webhooks/change-webhook'
import {
  findWebhook,
  listWebhooks,
  findResumePosition,
  findDelivery,
  listDeliveries,
  type Delivery,
} from '#accounts/webhooks/read-webhooks'
import type { LedgerDb } from '#ledger/tables'
import {
  NO_CONTENT,
  describeAction,
  anyId,
  readIdAs,
  requireOr,
  describedObject,
  makeListSchema,
  nullable,
  oneOf,
  Page,
  strictObject,
  textOrNull,
  Time,
  render,
  flag,
  text,
} from '#http/openapi/schema-parts'
import { refuseField } from '#http/server/problem'
import { NOT_A_TIME, readInstant, pageBefore, pageOf } from '#http/server/query-values'
import {
  actingUser,
  JSON_BODY,
  MERGE_PATCH_BODY,
  setPositionHeader,
  trimTexts,
  HEAVY_JSON_BODY,
} from '#api/admin/company-schemas'
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
import { rebuildMessage, type RebuiltMessage } from '#delivery/webhooks/single-deliveries'
import { problem } from '#domain/errors'
import { PING_TYPE, WEBHOOK_TYPES } from '#domain/webhook-types'

const trim = trimTexts('url', 'description')

const LIST_WEBHOOKS = {
  operationId: 'listWebhooks',
  summary: 'List webhooks, oldest first',
  description: 'All webhooks of the company, on one page. Secrets are not shown.',
  response: { 200: WebhookList },
} satisfies FastifySchema

const GET_WEBHOOK = {
  operationId: 'getWebhook',
  summary: 'Get a webhook and its progress',
  description: 'The secret is not shown.',
  ...ofWebhook,
  response: { 200: ShownWebhook },
} satisfies FastifySchema

const CREATE_WEBHOOK = {
  operationId: 'createWebhook',
  summary: 'Create a webhook',
  description:
    'The secret is shown only once. Messages begin with the next event. A company can have at most 20 webhooks.',
  body: CreateWebhookBody,
  response: { 201: ShownWebhookWithSecret },
  problems: ['too_many_webhooks', 'secrets_key_missing'],
} satisfies FastifySchema

const EDIT_WEBHOOK = {
  operationId: 'editWebhook',
  summary: 'Change the settings of a webhook',
  description: 'The change applies to the messages that follow. The secret stays the same.',
  ...ofWebhook,
  body: EditWebhookBody,
  response: { 200: ShownWebhook },
} satisfies FastifySchema

const REMOVE_WEBHOOK = {
  operationId: 'removeWebhook',
  summary: 'Remove a webhook permanently',
  description: 'No more messages are sent. This cannot be undone.',
  ...ofWebhook,
  response: { 204: NO_CONTENT },
} satisfies FastifySchema

const PAUSE_WEBHOOK = {
  ...ofWebhook,
  ...describeAction(WEBHOOK_ACTIONS.pause),
  response: { 200: ShownWebhook },
} satisfies FastifySchema

const RESUME_WEBHOOK = {
  ...ofWebhook,
  ...describeAction(WEBHOOK_ACTIONS.resume),
  body: ResumeBody,
  isBodyOptional: true,
  response: { 200: ShownWebhook },
} satisfies FastifySchema

const ROTATE_WEBHOOK_SECRET = {
  operationId: 'rotateWebhookSecret',
  summary: 'Rotate the secret of a webhook',
  description: 'The new secret is shown only once. Messages are signed with both for `overlap_seconds`.',
  ...ofWebhook,
  body: RotateWebhookBody,
  isBodyOptional: true,
  response: { 200: ShownWebhookWithSecret },
  problems: ['webhook_not_found', 'secrets_key_missing'],
} satisfies FastifySchema

/** Routes to manage webhooks, for administrators. Each change is an event. */
export function webhookRoutes(app: FastifyInstance, services: WebhookRouteServices) {
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
    const change = { change: 'resume', ...omitUndefined({ position }) } as const
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
async function readResumePosition(db: LedgerDb, companyId: string, { after, since }: Static<typeof ResumeBody>) {
  if (since === undefined) return after
  if (after !== undefined) throw refuseField('/since', 'since must not be combined with after')
  const time = readInstant(since)
  if (time === null) throw refuseField('/since', `since ${NOT_A_TIME}`)
  return findResumePosition(db, companyId, time)
}

export const DELIVERY_STATUSES = ['delivered', 'failed'] as const

const SentMessage = strictObject({
  headers: Type.Record(Type.String(), Type.String(), {
    description: 'The headers, without `webhook-signature`, which is not kept.',
  }),
  body: text('The exact text that was signed. It is not stored, but made from the event once more.'),
  erased: flag(
    'Whether the data of the event are erased. Then `body` has no names and no values, even if they were sent.',
  ),
})

const ShownDelivery = describedObject('WebhookDelivery', 'One attempt to deliver a message. Kept for 30 days.', {
  id: text('The id of the delivery: `dlv_…`.'),
  type: oneOf([...WEBHOOK_TYPES, PING_TYPE], 'The type of the message.'),
  position: Type.Unsafe<number | null>({
    type: ['integer', 'null'],
    minimum: 1,
    description: 'The position of the event that the message reports. Null for a ping.',
  }),
  sent_at: Time,
  duration_ms: Type.Integer({ minimum: 0 }),
  status: oneOf(DELIVERY_STATUSES, 'The receiver accepts a message by answering with a status from 200 to 299.'),
  http_status: nullable(Type.Integer(), {
    description: 'The status that the receiver answered. Null if it did not answer.',
  }),
  error: textOrNull('Why it failed. Null if it did not.'),
  answer: textOrNull("The start of the receiver's answer. Null if there was none, or if the event has been erased."),
  request: Type.Optional(
    nullable(SentMessage, {
      description:
        'What was sent. Only in the answer to a request for one delivery. Null if the ledger no longer has the ' +
        'event, because it was restored to an earlier state.',
    }),
  ),
})
const DeliveryList = makeListSchema(ShownDelivery)
const DeliveryListQuery = strictObject({
  ...Page,
  status: Type.Optional(oneOf(DELIVERY_STATUSES, 'Only deliveries with this status.')),
})

/** Renders a delivery for a response; with what it sent, if that was read. */
function renderDelivery(delivery: Delivery, sent?: RebuiltMessage | null): Static<typeof ShownDelivery> {
  const status = delivery.isDelivered ? 'delivered' : 'failed'
  const request = sent && { headers: sent.headers, body: sent.body, erased: sent.isErased }
  return render(ShownDelivery, { ...delivery, status, ...omitUndefined({ request }) })
}

const NO_SUCH_DELIVERY = problem('delivery_not_found', 'No such delivery exists')
const ofDelivery = {
  params: Type.Object({ ...ofWebhook.params.properties, delivery_id: anyId('The id of the delivery.', 'dlv') }),
  problems: ['webhook_not_found', 'delivery_not_found'],
} as const
/** Reads the id of a delivery in a path. */
export const readDeliveryId = readIdAs('dlv', NO_SUCH_DELIVERY)

/** Returns the delivery that was found. Throws a problem if there is none. */
export const requireDelivery = requireOr(NO_SUCH_DELIVERY)

const LIST_WEBHOOK_DELIVERIES = {
  operationId: 'listWebhookDeliveries',
  summary: 'List the deliveries of a webhook, newest first',
  description: 'Those of the last 30 days: each attempt to send a message, and what the receiver answered.',
  ...ofWebhook,
  querystring: DeliveryListQuery,
  response: { 200: DeliveryList },
} satisfies FastifySchema

const GET_WEBHOOK_DELIVERY = {
  operationId: 'getWebhookDelivery',
  summary: 'Get a delivery of a webhook',
  description: 'One attempt to send a message: what was sent, and what the receiver answered.',
  ...ofDelivery,
  response: { 200: ShownDelivery },
} satisfies FastifySchema

const PING_WEBHOOK = {
  operationId: 'pingWebhook',
  summary: 'Send a test message and show what the receiver answers',
  description: 'Also works on a paused or disabled webhook.',
  ...ofWebhook,
  response: { 200: ShownDelivery },
} satisfies FastifySchema

const REDELIVER_WEBHOOK_MESSAGE = {
  operationId: 'redeliverWebhookMessage',
  summary: 'Send the message of a delivery again',
  description: 'The message is made from its event as it is stored now. It has the same `webhook-id` as before.',
  ...ofDelivery,
  response: { 200: ShownDelivery },
} satisfies FastifySchema

/** Adds the routes that list deliveries, and send a ping or one message again. */
function addDeliveryRoutes(app: FastifyInstance, { db, singleDeliveries }: WebhookRouteServices) {
  app.get('/webhooks/:id/deliveries', { schema: LIST_WEBHOOK_DELIVERIES }, async (request) => {
    const { companyId } = actingUser(request)
    const id = readWebhookId(request.params.id)
    requireWebhook(await findWebhook(db, companyId, id))
    const { status, limit } = request.query
    const isDelivered = status === undefined ? {} : { isDelivered: status === 'delivered' }
    const page = { ...pageBefore('dlv', request.query), ...isDelivered }
    return pageOf(
      await listDeliveries(db, companyId, id, page),
      limit,
      (delivery) => delivery.id,
      (delivery) => renderDelivery(delivery),
    )
  })

  app.get('/webhooks/:id/deliveries/:delivery_id', { schema: GET_WEBHOOK_DELIVERY }, async (request) => {
    const { companyId } = actingUser(request)
    const { webhook } = requireWebhook(await findWebhook(db, companyId, readWebhookId(request.params.id)))
    const deliveryId = readDeliveryId(request.params.delivery_id)
    const delivery = requireDelivery(await findDelivery(db, companyId, webhook.id, deliveryId))
    return renderDelivery(delivery, await rebuildMessage(db, companyId, webhook, delivery))
  })

  // Whoever sends a message waits for the receiver, so a company may send few at once.
  app.post('/webhooks/:id/ping', { schema: PING_WEBHOOK, ...HEAVY_JSON_BODY }, async (request) => {
    const id = readWebhookId(request.params.id)
    return renderDelivery(await singleDeliveries.ping(actingUser(request).companyId, id))
  })

  app.post(
    '/webhooks/:id/deliveries/:delivery_id/redeliver',
    { schema: REDELIVER_WEBHOOK_MESSAGE, ...HEAVY_JSON_BODY },
    async (request) => {
      const [id, deliveryId] = [readWebhookId(request.params.id), readDeliveryId(request.params.delivery_id)]
      return renderDelivery(await singleDeliveries.redeliver(actingUser(request).companyId, id, deliveryId))
    },
  )
}
