import type { FastifyRequest } from 'fastify'
import { isId } from '#domain/ids'
import { formatTime } from '#domain/local-times'
import { PING_TYPE } from '#domain/webhook-types'
import { findDelivery, type Delivery, type KeptDelivery } from '#accounts/webhooks/read-webhooks'
import { renderBadge } from '../parts/badges.ts'
import { readFormFields } from '../parts/form.ts'
import { html, type Html } from '../parts/html.ts'
import { NAVIGATION } from '#wording/navigation'
import type { PageServices } from '../parts/page-services.ts'
import { decapitalize, formatNumber } from '#wording/numbers'
import { renderTable } from '../parts/table.ts'
import { renderTimeLink } from '../parts/times.ts'
import { getViewer } from '../parts/viewer.ts'

const { path: PATH } = NAVIGATION.webhooks

/** Says what the receiver answered, or why there is no answer. */
function describeOutcome({ error, httpStatus }: Delivery): string {
  return error ?? `The receiver answered ${httpStatus ?? ''}`
}

/** Renders deliveries, each with a button that sends its message again. */
export function renderDeliveryTable(webhookId: string, deliveries: KeptDelivery[], timeZone: string): Html {
  return renderTable({
    caption: 'Deliveries, newest message first',
    columns: [
      {
        heading: 'Sent',
        cell: ({ id, sentAt }) =>
          html`${renderTimeLink(`${PATH}/${webhookId}/deliveries/${id}`, sentAt, timeZone)}
            <div class="hint below">${formatTime(sentAt, timeZone)}</div>`,
      },
      { heading: 'Message', cell: renderMessage },
      { heading: 'Result', cell: renderOutcome },
      { heading: 'Duration', isNumber: true, cell: ({ durationMs }) => `${formatNumber(durationMs)} ms` },
      { heading: 'Action', isHeadingHidden: true, cell: (delivery) => renderSendAgain(webhookId, delivery) },
    ],
    rows: groupByMessage(deliveries),
  })
}

/** Puts the attempts of a message next to each other, that with the newest attempt first. */
function groupByMessage(deliveries: KeptDelivery[]): KeptDelivery[] {
  return [
    ...Map.groupBy(deliveries, ({ id, type, position }) => (position === null ? id : `${type} ${position}`)),
  ].flatMap(([, attempts]) => attempts)
}

/** Renders a button that sends a message again. */
export function renderSendAgain(webhookId: string, delivery: Delivery): Html {
  return html`<form method="post" action="${PATH}/${webhookId}/deliveries/${delivery.id}/redeliver">
    <button class="unbroken">Send again<span class="visually-hidden"> ${describeMessage(delivery)}</span></button>
  </form>`
}

function describeMessage({ type, position }: Delivery): string {
  return position === null ? type : `${type} of event ${formatNumber(position)}`
}

/** Renders the type of a message and its event. */
export function renderMessage({ type, position, attempt }: KeptDelivery): Html {
  const event =
    position === null
      ? ''
      : html`<br /><a href="${NAVIGATION.events.path}/${position}">Event ${formatNumber(position)}</a>`
  const nth = attempt > 1 ? html`<br />Attempt ${formatNumber(attempt)}` : ''
  return html`<code class="unbroken">${type}</code>${event}${nth}`
}

function renderOutcome(delivery: Delivery): Html {
  const { answer } = delivery
  return html`${renderResult(delivery)}
    ${
      answer === null
        ? ''
        : html`<details>
            <summary>Answer</summary>
            <pre>${answer}</pre>
          </details>`
    }`
}

/** Renders whether a message was delivered, and the status that the receiver answered. */
export function renderResult(delivery: Delivery): Html {
  return html`${delivery.isDelivered ? renderBadge('good', 'Delivered') : renderBadge('bad', 'Failed')}
    <div>${describeOutcome(delivery)}</div>`
}

/** Finds the delivery in `?sent=`; null if there is none. */
export async function findSent(
  { db }: PageServices,
  request: FastifyRequest,
  webhookId: string,
): Promise<Delivery | null> {
  const { sent } = readFormFields(request.query)
  return isId('dlv', sent) ? findDelivery(db, getViewer(request).companyId, webhookId, sent) : null
}

/** Renders how a delivery ended. */
export function renderSent(delivery: Delivery): Html {
  const { isDelivered, type, durationMs, answer } = delivery
  const what = type === PING_TYPE ? 'Test message' : 'Message'
  const outcome = decapitalize(describeOutcome(delivery))
  const length = `${formatNumber(durationMs)} ms`
  const text = isDelivered
    ? `${what} delivered: ${outcome} after ${length}.`
    : `${what} failed: ${outcome} after ${length}.`
  return html`<p class="${isDelivered ? 'notice' : 'alert'}" role="${isDelivered ? 'status' : 'alert'}">${text}</p>
    ${
      answer === null
        ? ''
        : html`<h2>Answer of the receiver</h2>
            <pre>${answer}</pre>`
    }`
}
