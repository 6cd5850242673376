import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { html } from 'hono/html'
import { createWebhook } from '../../../accounts/webhooks/change-webhook.ts'
import { countWaitingMessages, type WaitingMessages } from '../../../accounts/webhooks/count-waiting.ts'
import type { SeenWebhook } from '../../../accounts/webhooks/read-webhooks.ts'
import { listWebhooks } from '../../../accounts/webhooks/read-webhooks.ts'
import type { Problem } from '../../../domain/errors.ts'
import { MOST_WEBHOOKS } from '../../../domain/webhooks/webhook-lifecycle.ts'
import {
  toFormProblem,
  renderFormAlert,
  readFormFields,
  type FormProblem,
  renderSeenVersion,
  readSeenVersion,
} from '../parts/form.ts'
import { sendUserPage, renderBreadcrumb } from '../parts/layout.ts'
import { NAVIGATION } from '../parts/navigation.ts'
import { renderNotice } from '../parts/notice.ts'
import type { Html } from '../parts/page.ts'
import type { PageServices } from '../parts/page-services.ts'
import { renderTime } from '../parts/times.ts'
import { getActing, getViewer } from '../parts/viewer.ts'
import { NEW_WEBHOOK, readWebhookForm, renderWebhookFields, WEBHOOK_FIELDS } from './webhook-form.ts'
import { sendWebhookSecret } from './webhook-secret.ts'
import { describeProgress, describeTrouble, renderWebhookStatus } from './webhook-words.ts'

const { path: PATH } = NAVIGATION.webhooks
const DONE = { removed: 'Webhook removed.' }

interface ShownWebhook extends SeenWebhook {
  waiting: WaitingMessages
}

/** `/settings/webhooks`: the list, and the form that creates a webhook. */
export function addWebhooksPage(app: FastifyInstance, services: PageServices): void {
  app.get(PATH, (request, reply) => sendWebhookList(services, request, reply))
  app.get(`${PATH}/new`, (request, reply) => sendCreateForm(services, request, reply, null))
  const keptForm = {
    fields: WEBHOOK_FIELDS,
    show: (request: FastifyRequest, reply: FastifyReply, problem: Problem) =>
      sendCreateForm(services, request, reply, problem),
  }
  app.post(`${PATH}/new`, { config: { keptForm } }, async (request, reply) => {
    const { webhooks } = services
    try {
      const fields = readFormFields(request.body)
      const settings = readWebhookForm(fields, webhooks.allowsHttp)
      const created = await createWebhook(webhooks, getActing(request), settings, readSeenVersion(fields))
      return await sendWebhookSecret(request, reply, created)
    } catch (error) {
      return sendCreateForm(services, request, reply, toFormProblem(error))
    }
  })
}

async function sendCreateForm(
  { db }: PageServices,
  request: FastifyRequest,
  reply: FastifyReply,
  problem: FormProblem,
): Promise<FastifyReply> {
  const viewer = getViewer(request)
  const fields = problem ? readFormFields(request.body) : NEW_WEBHOOK
  const { length: seen } = await listWebhooks(db, viewer.companyId)
  if (problem) void reply.code(problem.status)
  return sendUserPage(request, reply, viewer, {
    title: 'Create webhook',
    body: html`${renderBreadcrumb(NAVIGATION.webhooks)}
      <h1>Create webhook</h1>
      ${renderFormAlert(problem)}
      <p>Messages begin with the next event. The secret that signs them is shown once, on the next page.</p>
      <form method="post" action="${PATH}/new" class="stack">
        ${renderSeenVersion(seen)} ${renderWebhookFields(fields, problem)}
        <div class="actions">
          <button class="primary">Create webhook</button><a class="button" href="${PATH}">Cancel</a>
        </div>
      </form>`,
  })
}

async function sendWebhookList(
  { db }: PageServices,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const viewer = getViewer(request)
  const webhooks: ShownWebhook[] = []
  for (const seen of await listWebhooks(db, viewer.companyId))
    webhooks.push({ ...seen, waiting: await countWaitingMessages(db, viewer.companyId, seen.webhook) })
  const create = html`<p class="actions"><a class="button primary" href="${PATH}/new">Create webhook</a></p>`
  return sendUserPage(request, reply, viewer, {
    title: 'Webhooks',
    body: html`<h1>Webhooks</h1>
      ${renderNotice(request, DONE)}
      <p>
        Webhooks tell other systems what happens, with signed messages. See the <a href="/docs">API reference</a> for
        the messages.
      </p>
      ${webhooks.length === 0 ? '' : webhooks.length < MOST_WEBHOOKS ? create : html`<p>A company can have ${MOST_WEBHOOKS} webhooks. To create another one, remove one first.</p>`}
      ${webhooks.length === 0 ? renderNoWebhooks() : renderWebhookTable(webhooks, viewer.timeZone)}`,
  })
}

function renderNoWebhooks(): Html {
  return html`<div class="empty">
    <h2>No webhooks yet</h2>
    <p>Create one to have changes of employees sent to another system as they happen.</p>
    <p><a class="button primary" href="${PATH}/new">Create webhook</a></p>
  </div>`
}

function renderWebhookTable(webhooks: ShownWebhook[], timeZone: string): Html {
  return html`<table class="cards rows">
    <caption class="visually-hidden">
      Webhooks, oldest first
    </caption>
    <thead>
      <tr>
        <th scope="col">Webhook</th>
        <th scope="col" class="wide">URL</th>
        <th scope="col">Status</th>
        <th scope="col">Progress</th>
        <th scope="col">Created</th>
      </tr>
    </thead>
    <tbody>
      ${webhooks.map((seen) => renderWebhookRow(seen, timeZone))}
    </tbody>
  </table>`
}

function renderWebhookRow(seen: ShownWebhook, timeZone: string): Html {
  const { webhook } = seen
  const { url, description } = webhook.settings
  const trouble = describeTrouble(seen)
  return html`<tr>
    <th scope="row">
      <a href="${PATH}/${webhook.id}" title="${url}"><bdi>${description || url}</bdi></a>
    </th>
    <td data-label="URL" class="wide long"><code>${url}</code></td>
    <td data-label="Status" class="long" ${trouble === null ? '' : html`title="${trouble}"`}>
      ${renderWebhookStatus(webhook)} ${trouble === null ? '' : html`<span class="hint">${trouble}</span>`}
    </td>
    <td data-label="Progress">${describeProgress(seen.waiting)}</td>
    <td data-label="Created">${renderTime(webhook.createdAt, timeZone)}</td>
  </tr>`
}
