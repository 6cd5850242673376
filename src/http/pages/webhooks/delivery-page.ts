import type { FastifyInstance, FastifyReply } from 'fastify'
import { formatTime } from '../../../domain/local-times.ts'
import { findDelivery, type Delivery } from '../../../accounts/webhooks/read-deliveries.ts'
import { rebuildMessage, type RebuiltMessage } from '../../../delivery/webhooks/rebuild-message.ts'
import { NO_SUCH_DELIVERY, readDeliveryId } from '../../admin/webhooks/deliveries.ts'
import { ProblemError } from '../../server/problem.ts'
import { renderFacts } from '../parts/facts.ts'
import { html, type Html } from '../parts/html.ts'
import { sendUserPage, renderBreadcrumb } from '../parts/layout.ts'
import { NAVIGATION } from '../parts/navigation.ts'
import type { PageServices } from '../parts/page-services.ts'
import { formatNumber } from '../parts/shown-values.ts'
import { renderTime } from '../parts/times.ts'
import { getViewer } from '../parts/viewer.ts'
import { renderMessage, renderResult, renderSendAgain } from './delivery-table.ts'
import { requireWebhook, type DeliveryRequest } from './require-webhook.ts'
import { formatWebhookName } from './webhook-words.ts'

const { path: PATH } = NAVIGATION.webhooks

/** `/settings/webhooks/{id}/deliveries/{delivery_id}`: what was sent, and what the receiver answered. */
export function addDeliveryPage(app: FastifyInstance, services: PageServices): void {
  app.get(`${PATH}/:id/deliveries/:delivery_id`, (request: DeliveryRequest, reply) =>
    sendDelivery(services, request, reply),
  )
}

async function sendDelivery(
  services: PageServices,
  request: DeliveryRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const viewer = getViewer(request)
  const { webhook } = await requireWebhook(services, request)
  const deliveryId = readDeliveryId(request.params.delivery_id)
  const delivery = await findDelivery(services.db, viewer.companyId, webhook.id, deliveryId)
  if (!delivery) throw new ProblemError(NO_SUCH_DELIVERY)
  const message = await rebuildMessage(services.db, viewer.companyId, webhook, delivery)
  const path = `${PATH}/${webhook.id}`
  return sendUserPage(request, reply, viewer, {
    title: `Delivery to ${formatWebhookName(webhook)}`,
    body: html`${renderBreadcrumb(NAVIGATION.webhooks, [
      { label: formatWebhookName(webhook), path },
      { label: 'Deliveries', path: `${path}/deliveries` },
    ])}
      <h1>Delivery</h1>
      ${renderFacts([
        [
          'Sent',
          html`${formatTime(delivery.sentAt, viewer.timeZone)} (${renderTime(delivery.sentAt, viewer.timeZone)})`,
        ],
        ['Message', renderMessage(delivery)],
        ['Result', renderResult(delivery)],
        ['Duration', `${formatNumber(delivery.durationMs)} ms`],
      ])}
      ${renderSendAgain(webhook.id, delivery)}
      <div class="exchange">${renderRequest(message)} ${renderAnswer(delivery)}</div>`,
  })
}

/** Indents JSON. Other text stays as it is, and so do numbers that JavaScript would round. */
function indentJson(text: string): string {
  const outsideStrings = text.replaceAll(/"(?:\\.|[^"\\])*"/g, '')
  if (/\d{16}|\d[eE]/.test(outsideStrings)) return text
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

function renderRequest(message: RebuiltMessage | null): Html {
  if (!message)
    return html`<section>
      <h2>Request</h2>
      <p class="hint">The ledger no longer has the event: it was restored to an earlier state.</p>
    </section>`
  return html`<section>
    <h2>Request</h2>
    <p class="hint">
      ${
        message.isErased
          ? 'The data of the event have been erased. Names and values that were sent before that are not shown.'
          : 'Made from the event again; messages are not stored. The body is indented here.'
      }
    </p>
    <pre>${Object.entries(message.headers).map(([name, value]) => `${name}: ${value}\n`)}webhook-signature: not kept

<bdi>${indentJson(message.body)}</bdi></pre>
  </section>`
}

function renderAnswer({ httpStatus, error, answer }: Delivery): Html {
  return html`<section>
    <h2>Answer</h2>
    <p class="hint">${httpStatus === null ? (error ?? 'No answer') : `Status ${httpStatus}`}</p>
    ${answer === null ? html`<p>The receiver sent no body, or it has been erased.</p>` : html`<pre><bdi>${indentJson(answer)}</bdi></pre>`}
  </section>`
}
