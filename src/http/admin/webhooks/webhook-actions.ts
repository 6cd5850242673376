import type { FastifyInstance, FastifySchema } from 'fastify'
import type { Static } from '@sinclair/typebox'
import { changeWebhook, rotateWebhookSecret } from '../../../accounts/webhooks/change-webhook.ts'
import { findResumePosition } from '../../../accounts/webhooks/find-resume-position.ts'
import type { LedgerDb } from '../../../ledger/tables.ts'
import { type Action, describeAction } from '../../openapi/actions.ts'
import { fieldError, invalidFields } from '../../../domain/field-errors.ts'
import { ProblemError } from '../../server/problem.ts'
import { NOT_A_TIME, readInstant } from '../../server/query-values.ts'
import { actingUser, JSON_BODY, setPositionHeader } from '../company-schemas.ts'
import { ofWebhook, readWebhookId, showWithSecret, type WebhookRouteServices } from './webhook-routes.ts'
import {
  renderWebhook,
  ResumeBody,
  RotateWebhookBody,
  ShownWebhook,
  ShownWebhookWithSecret,
} from './webhook-schemas.ts'

/** What can be done with a webhook, besides editing and rotation. */
export const WEBHOOK_ACTIONS = {
  pause: {
    operationId: 'pauseWebhook',
    summary: 'Pause deliveries until the webhook is resumed',
    description: 'Resumed deliveries go on where they stopped, so that no event is skipped.',
    problems: ['webhook_not_found'],
    button: 'Pause',
    question: 'Messages wait until you resume the webhook.',
    done: 'paused',
    notice: 'Webhook paused. Messages wait until you resume it.',
  },
  resume: {
    operationId: 'resumeWebhook',
    summary: 'Resume or replay deliveries',
    description: 'Also works on an enabled webhook, to send messages again.',
    problems: ['webhook_not_found'],
    button: 'Resume',
    done: 'resumed',
    notice: 'Webhook resumed. Messages that waited are being sent.',
  },
} as const satisfies Record<string, Action>

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

/** Adds the routes that pause, resume and rotate. */
export function addWebhookActions(app: FastifyInstance, { db, webhooks }: WebhookRouteServices): void {
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
}

/** Reads the position after which deliveries go on; undefined for where they stopped. Throws a problem at the field. */
async function readResumePosition(
  db: LedgerDb,
  companyId: string,
  { after, since }: Static<typeof ResumeBody>,
): Promise<number | undefined> {
  if (since === undefined) return after
  const refuse = (message: string) => new ProblemError(invalidFields([fieldError('/since', 'invalid_value', message)]))
  if (after !== undefined) throw refuse('since must not be combined with after')
  const time = readInstant(since)
  if (time === null) throw refuse(`since ${NOT_A_TIME}`)
  return findResumePosition(db, companyId, time)
}
