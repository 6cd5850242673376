import type { FastifyInstance } from 'fastify'
import { listDeliveries } from '../../../accounts/webhooks/read-deliveries.ts'
import { ALWAYS } from '../../access/heavy-reads.ts'
import { readDeliveryId } from '../../admin/webhooks/deliveries.ts'
import { DELIVERY_STATUSES } from '../../admin/webhooks/delivery-schemas.ts'
import { readWebhookId } from '../../admin/webhooks/webhook-routes.ts'
import { decodeIdCursor } from '../../server/cursor.ts'
import { listOptions, readFormFields } from '../parts/form.ts'
import { addFormPage } from '../parts/form-page.ts'
import { html } from '../parts/html.ts'
import { renderFilter, renderListLinks, ROWS_A_PAGE } from '../parts/list-pages.ts'
import { NAVIGATION } from '../parts/navigation.ts'
import type { PageServices } from '../parts/page-services.ts'
import { getViewer } from '../parts/viewer.ts'
import { renderDeliveryTable } from './delivery-table.ts'
import { requireWebhook, type DeliveryRequest } from './require-webhook.ts'
import { findSent, renderSent } from './sent-delivery.ts'
import { formatWebhookName } from './webhook-words.ts'

const { path: PATH } = NAVIGATION.webhooks

/** `/settings/webhooks/{id}/deliveries`: what was sent in the last 30 days. */
export function addDeliveriesPage(app: FastifyInstance, services: PageServices): void {
  addFormPage(app, {
    path: `${PATH}/:id/deliveries`,
    load: (request: DeliveryRequest) => loadDeliveries(services, request),
    render: ({ webhook, sent, status, cursor, deliveries }, forms, request) => {
      const path = `${PATH}/${webhook.id}/deliveries`
      const isFiltered = status !== undefined || cursor !== undefined
      const filter = renderFilter(path, { name: 'status', label: 'Result', value: status ?? '', options: FILTERS })
      const shown = deliveries.slice(0, ROWS_A_PAGE)
      const nothing = isFiltered
        ? html`<p class="empty">No matching deliveries. <a href="${path}">Show all</a></p>`
        : html`<p class="empty">
            Nothing has been sent in the last 30 days. <a href="${PATH}/${webhook.id}">Send a test message</a>
          </p>`
      return {
        title: `Deliveries to ${formatWebhookName(webhook)}`,
        heading: html`Deliveries`,
        trail: [NAVIGATION.webhooks, { label: formatWebhookName(webhook), path: `${PATH}/${webhook.id}` }],
        body: html`${sent && !forms.refused ? renderSent(sent) : ''}
          <p>Every attempt of the last 30 days. Open one to see what was sent.</p>
          ${shown.length > 0 || isFiltered ? filter : ''}
          ${shown.length > 0 ? renderDeliveryTable(webhook.id, shown, getViewer(request).timeZone) : nothing}
          ${renderListLinks(path, { status }, cursor, deliveries, ({ id }) => id)}`,
      }
    },
    forms: {
      redeliver: {
        path: '/:delivery_id/redeliver',
        config: { isHeavyRead: ALWAYS },
        async run(request) {
          const deliveryId = readDeliveryId(request.params.delivery_id)
          const id = readWebhookId(request.params.id)
          const sent = await services.singleDeliveries.redeliver(getViewer(request).companyId, id, deliveryId)
          return { goTo: `${PATH}/${id}/deliveries?sent=${sent.id}` }
        },
      },
    },
  })
}

async function loadDeliveries(services: PageServices, request: DeliveryRequest) {
  const { webhook } = await requireWebhook(services, request)
  const { cursor, status: requestedStatus } = readFormFields(request.query)
  const status = DELIVERY_STATUSES.find((one) => one === requestedStatus)
  const deliveries = await listDeliveries(services.db, getViewer(request).companyId, webhook.id, {
    limit: ROWS_A_PAGE + 1,
    ...(cursor === undefined ? {} : { before: decodeIdCursor('dlv', cursor) }),
    ...(status === undefined ? {} : { isDelivered: status === 'delivered' }),
  })
  return { webhook, sent: await findSent(services, request, webhook.id), status, cursor, deliveries }
}

const FILTERS = listOptions({ delivered: 'Delivered', failed: 'Failed' })
