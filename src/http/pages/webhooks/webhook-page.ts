import type { FastifyInstance, FastifyReply } from 'fastify'
import { html } from 'hono/html'
import { changeWebhook, rotateWebhookSecret } from '../../../accounts/webhooks/change-webhook.ts'
import { countWaitingMessages } from '../../../accounts/webhooks/count-waiting.ts'
import { listDeliveries } from '../../../accounts/webhooks/read-deliveries.ts'
import type { Problem } from '../../../domain/errors.ts'
import { ALWAYS } from '../../access/heavy-reads.ts'
import { readWebhookId } from '../../admin/webhooks/webhook-routes.ts'
import { RotateWebhookBody } from '../../admin/webhooks/webhook-schemas.ts'
import {
  toFormProblem,
  checkForm,
  renderFormAlert,
  readFormFields,
  readSeenVersion,
  readWholeNumber,
} from '../parts/form.ts'
import { sendUserPage, renderBreadcrumb } from '../parts/layout.ts'
import { NAVIGATION } from '../parts/navigation.ts'
import { renderNotice } from '../parts/notice.ts'
import type { Html } from '../parts/page.ts'
import type { PageServices } from '../parts/page-services.ts'
import { getActing, getViewer } from '../parts/viewer.ts'
import { renderDeliveryTable } from './delivery-table.ts'
import { readResumeForm, RESUME_FIELDS } from './resume-form.ts'
import type { WebhookRequest, WebhookRoute } from './require-webhook.ts'
import { requireWebhook } from './require-webhook.ts'
import { renderSent } from './sent-delivery.ts'
import { renderWebhookActions, renderWebhookFacts } from './webhook-facts.ts'
import { readWebhookForm, WEBHOOK_FIELDS } from './webhook-form.ts'
import type { FormName, WrongForm } from './webhook-forms.ts'
import { renderWebhookForms } from './webhook-forms.ts'
import { sendWebhookSecret } from './webhook-secret.ts'
import { formatWebhookName } from './webhook-words.ts'

const { path: PATH } = NAVIGATION.webhooks
const RECENT = 5

const DONE = {
  saved: 'Changes saved. They apply from the next message.',
  paused: 'Webhook paused. Messages wait until you resume it.',
  resumed: 'Webhook resumed. Messages that waited are being sent.',
  replayed: 'Messages are being sent from there.',
}

/** `/settings/webhooks/{id}`: one webhook, with everything that can be done with it but removal. */
export function addWebhookPage(app: FastifyInstance, services: PageServices): void {
  const { db, webhooks, singleDeliveries } = services
  const idOf = ({ params }: WebhookRequest) => readWebhookId(params.id)
  const keepForm = (form: FormName, fields: readonly string[]) => ({
    fields: [...fields, 'seen'],
    show: (request: WebhookRequest, reply: FastifyReply, problem: Problem) =>
      sendWebhook(services, request, reply, { form, problem }),
  })
  /** Adds a form that shows the page again if it is refused. */
  function addForm(
    path: string,
    form: FormName,
    run: (request: WebhookRequest, reply: FastifyReply) => Promise<FastifyReply>,
    config: object = {},
  ): void {
    app.post<WebhookRoute>(`${PATH}/:id${path}`, { config }, async (request, reply) => {
      try {
        return await run(request, reply)
      } catch (error) {
        return sendWebhook(services, request, reply, { form, problem: toFormProblem(error) })
      }
    })
  }
  const done = (request: WebhookRequest, reply: FastifyReply, word: keyof typeof DONE) =>
    reply.redirect(`${PATH}/${idOf(request)}?done=${word}`, 303)

  app.get<WebhookRoute>(`${PATH}/:id`, (request, reply) => sendWebhook(services, request, reply, null))

  addForm(
    '',
    'edit',
    async (request, reply) => {
      const fields = readFormFields(request.body)
      const { webhook } = await requireWebhook(services, request)
      const settings = readWebhookForm(fields, webhooks.allowsHttp, webhook.settings)
      const change = { change: 'edit', settings } as const
      await changeWebhook(webhooks, getActing(request), idOf(request), change, readSeenVersion(fields))
      return done(request, reply, 'saved')
    },
    { keptForm: keepForm('edit', WEBHOOK_FIELDS) },
  )
  addForm('/pause', null, async (request, reply) => {
    await changeWebhook(webhooks, getActing(request), idOf(request), { change: 'pause' })
    return done(request, reply, 'paused')
  })
  addForm('/resume', null, async (request, reply) => {
    await changeWebhook(webhooks, getActing(request), idOf(request), { change: 'resume' })
    return done(request, reply, 'resumed')
  })
  addForm(
    '/replay',
    'replay',
    async (request, reply) => {
      const fields = readFormFields(request.body)
      const { companyId, timeZone } = getViewer(request)
      const position = await readResumeForm(db, companyId, fields, timeZone)
      const change = { change: 'resume', position } as const
      await changeWebhook(webhooks, getActing(request), idOf(request), change, readSeenVersion(fields))
      return done(request, reply, 'replayed')
    },
    { keptForm: keepForm('replay', RESUME_FIELDS) },
  )
  addForm('/rotate', 'rotate', async (request, reply) => {
    const fields = readFormFields(request.body)
    const body = { overlap_seconds: readWholeNumber(fields['overlap_seconds']) }
    const { overlap_seconds: overlap } = checkForm(RotateWebhookBody, body)
    const seen = readSeenVersion(fields)
    const rotated = await rotateWebhookSecret(webhooks, getActing(request), idOf(request), overlap, seen)
    return sendWebhookSecret(request, reply, rotated)
  })
  addForm(
    '/ping',
    null,
    async (request, reply) => {
      const { id } = await singleDeliveries.ping(getViewer(request).companyId, idOf(request))
      return reply.redirect(`${PATH}/${idOf(request)}?sent=${id}`, 303)
    },
    { isHeavyRead: ALWAYS },
  )
}

async function sendWebhook(
  services: PageServices,
  request: WebhookRequest,
  reply: FastifyReply,
  wrong: WrongForm | null,
): Promise<FastifyReply> {
  const viewer = getViewer(request)
  const seen = await requireWebhook(services, request)
  const { webhook } = seen
  const waiting = await countWaitingMessages(services.db, viewer.companyId, webhook)
  if (wrong) void reply.code(wrong.problem.status)
  return sendUserPage(request, reply, viewer, {
    title: formatWebhookName(webhook),
    body: html`${renderBreadcrumb(NAVIGATION.webhooks)}
      <h1><bdi>${formatWebhookName(webhook)}</bdi></h1>
      ${wrong ? renderFormAlert(wrong.problem) : renderNotice(request, DONE)}
      ${wrong ? '' : await renderSent(services, request, webhook.id)} ${renderWebhookFacts(seen, waiting, viewer.timeZone)}
      ${renderWebhookActions(webhook)} ${await renderRecent(services, viewer, webhook.id)}
      ${renderWebhookForms(request, seen, wrong, viewer.timeZone)}`,
  })
}

async function renderRecent(
  { db }: PageServices,
  { companyId, timeZone }: { companyId: string; timeZone: string },
  id: string,
): Promise<Html> {
  const deliveries = await listDeliveries(db, companyId, id, { limit: RECENT })
  return html`<h2>Recent deliveries</h2>
    ${
      deliveries.length === 0
        ? html`<p class="empty">Nothing has been sent yet.</p>`
        : html`${renderDeliveryTable(id, deliveries, timeZone)}
            <p><a href="${PATH}/${id}/deliveries">All deliveries of the last 30 days</a></p>`
    }`
}
