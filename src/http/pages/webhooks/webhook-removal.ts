import type { FastifyInstance, FastifyReply } from 'fastify'
import { html } from 'hono/html'
import { changeWebhook } from '../../../accounts/webhooks/change-webhook.ts'
import type { WebhookRecord } from '../../../accounts/webhooks/read-webhooks.ts'
import {
  toFormProblem,
  renderTypedConfirmation,
  requireTyped,
  renderFormAlert,
  readFormFields,
  type FormProblem,
} from '../parts/form.ts'
import { sendUserPage, renderBreadcrumb } from '../parts/layout.ts'
import { NAVIGATION } from '../parts/navigation.ts'
import type { PageServices } from '../parts/page-services.ts'
import { getActing, getViewer } from '../parts/viewer.ts'
import type { WebhookRequest, WebhookRoute } from './require-webhook.ts'
import { requireWebhook } from './require-webhook.ts'
import { formatWebhookName } from './webhook-words.ts'

const { path: PATH } = NAVIGATION.webhooks

/** `/settings/webhooks/{id}/remove`: removes a webhook for good. */
export function addWebhookRemoval(app: FastifyInstance, services: PageServices): void {
  app.get<WebhookRoute>(`${PATH}/:id/remove`, (request, reply) => sendRemovalForm(services, request, reply, null))
  app.post<WebhookRoute>(`${PATH}/:id/remove`, async (request, reply) => {
    const { webhook } = await requireWebhook(services, request)
    try {
      requireTyped(readFormFields(request.body), getExpectedText(webhook))
      await changeWebhook(services.webhooks, getActing(request), webhook.id, { change: 'remove' })
    } catch (error) {
      return sendRemovalForm(services, request, reply, toFormProblem(error))
    }
    return reply.redirect(`${PATH}?done=removed`, 303)
  })
}

/** Returns what an administrator types to confirm: the host, because addresses may be long. */
function getExpectedText({ settings }: WebhookRecord): string {
  return new URL(settings.url).host
}

async function sendRemovalForm(
  services: PageServices,
  request: WebhookRequest,
  reply: FastifyReply,
  problem: FormProblem,
): Promise<FastifyReply> {
  const { webhook } = await requireWebhook(services, request)
  const name = formatWebhookName(webhook)
  if (problem) void reply.code(problem.status)
  return sendUserPage(request, reply, getViewer(request), {
    title: `Remove ${name}`,
    body: html`${renderBreadcrumb(NAVIGATION.webhooks, [{ label: name, path: `${PATH}/${webhook.id}` }])}
      <h1>Remove webhook?</h1>
      ${renderFormAlert(problem)}
      <dl class="facts">
        ${
          webhook.settings.description === ''
            ? ''
            : html`<dt>Description</dt>
                <dd><bdi>${webhook.settings.description}</bdi></dd>`
        }
        <dt>URL</dt>
        <dd><code>${webhook.settings.url}</code></dd>
      </dl>
      <p class="warning">This can't be undone. Messages that have not been delivered are not sent.</p>
      <p>To stop messages for a while, pause the webhook instead. Its past changes stay in the event stream.</p>
      <form method="post" action="${PATH}/${webhook.id}/remove" class="stack">
        ${renderTypedConfirmation(getExpectedText(webhook), problem)}
        <div class="actions">
          <button class="danger">Remove webhook</button><a class="button" href="${PATH}/${webhook.id}">Cancel</a>
        </div>
      </form>`,
  })
}
