import type { FastifyInstance, FastifyReply } from 'fastify'
import { html } from 'hono/html'
import { listDeliveries } from '../../../accounts/webhooks/read-deliveries.ts'
import { ALWAYS } from '../../access/heavy-reads.ts'
import { readDeliveryId } from '../../admin/webhooks/deliveries.ts'
import { DELIVERY_STATUSES } from '../../admin/webhooks/delivery-schemas.ts'
import { readWebhookId } from '../../admin/webhooks/webhook-routes.ts'
import { decodeIdCursor } from '../../server/cursor.ts'
import {
  listOptions,
  readFormFields,
  renderChoice,
  renderFormAlert,
  toFormProblem,
  type FormProblem,
} from '../parts/form.ts'
import { sendUserPage, renderBreadcrumb } from '../parts/layout.ts'
import { renderListLinks, ROWS_A_PAGE } from '../parts/list-pages.ts'
import { NAVIGATION } from '../parts/navigation.ts'
import type { Html } from '../parts/page.ts'
import type { PageServices } from '../parts/page-services.ts'
import { getViewer } from '../parts/viewer.ts'
import { renderDeliveryTable } from './delivery-table.ts'
import type { DeliveryRoute, WebhookRequest, WebhookRoute } from './require-webhook.ts'
import { requireWebhook } from './require-webhook.ts'
import { findSent, renderSent } from './sent-delivery.ts'
import { formatWebhookName } from './webhook-words.ts'

const { path: PATH } = NAVIGATION.webhooks

/** `/settings/webhooks/{id}/deliveries`: what was sent in the last 30 days. */
export function addDeliveriesPage(app: FastifyInstance, services: PageServices): void {
  app.get<WebhookRoute>(`${PATH}/:id/deliveries`, (request, reply) => sendDeliveries(services, request, reply, null))

  app.post<DeliveryRoute>(
    `${PATH}/:id/deliveries/:delivery_id/redeliver`,
    { config: { isHeavyRead: ALWAYS } },
    async (request, reply) => {
      const deliveryId = readDeliveryId(request.params.delivery_id)
      const id = readWebhookId(request.params.id)
      try {
        const sent = await services.singleDeliveries.redeliver(getViewer(request).companyId, id, deliveryId)
        return await reply.redirect(`${PATH}/${id}/deliveries?sent=${sent.id}`, 303)
      } catch (error) {
        return sendDeliveries(services, request, reply, toFormProblem(error))
      }
    },
  )
}

async function sendDeliveries(
  services: PageServices,
  request: WebhookRequest,
  reply: FastifyReply,
  problem: FormProblem,
): Promise<FastifyReply> {
  const viewer = getViewer(request)
  const { webhook } = await requireWebhook(services, request)
  const path = `${PATH}/${webhook.id}/deliveries`
  const sent = await findSent(services, request, webhook.id)
  const { cursor, status: requestedStatus } = readFormFields(request.query)
  const status = DELIVERY_STATUSES.find((status) => status === requestedStatus)
  const deliveries = await listDeliveries(services.db, viewer.companyId, webhook.id, {
    limit: ROWS_A_PAGE + 1,
    ...(cursor === undefined ? {} : { before: decodeIdCursor('dlv', cursor) }),
    ...(status === undefined ? {} : { isDelivered: status === 'delivered' }),
  })
  if (problem) void reply.code(problem.status)
  const isFiltered = status !== undefined || cursor !== undefined
  return sendUserPage(request, reply, viewer, {
    title: `Deliveries to ${formatWebhookName(webhook)}`,
    body: html`${renderBreadcrumb(NAVIGATION.webhooks, [{ label: formatWebhookName(webhook), path: `${PATH}/${webhook.id}` }])}
      <h1>Deliveries</h1>
      ${problem ? renderFormAlert(problem) : sent ? renderSent(sent) : ''}
      <p>Every attempt of the last 30 days. Open one to see what was sent.</p>
      ${deliveries.length === 0 && !isFiltered ? html`<p class="empty">Nothing has been sent yet.</p>` : renderStatusFilter(path, status ?? '')}
      ${deliveries.length === 0 && isFiltered ? html`<p class="empty">No matching deliveries. <a href="${path}">Show all</a></p>` : ''}
      ${deliveries.length === 0 ? '' : renderDeliveryTable(webhook.id, deliveries.slice(0, ROWS_A_PAGE), viewer.timeZone)}
      ${renderListLinks(path, status === undefined ? {} : { status }, cursor, deliveries, ({ id }) => id)}`,
  })
}

const FILTERS = listOptions({ delivered: 'Delivered', failed: 'Failed' })

function renderStatusFilter(path: string, status: string): Html {
  return html`<form method="get" action="${path}" class="filters">
    ${renderChoice({ name: 'status', label: 'Result', value: status, options: FILTERS }, null)}
    <div class="actions"><button>Filter</button></div>
  </form>`
}
