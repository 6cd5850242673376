import { html } from 'hono/html'
import type { Delivery } from '../../../accounts/webhooks/read-deliveries.ts'
import { renderBadge } from '../parts/badges.ts'
import { NAVIGATION } from '../parts/navigation.ts'
import type { Html } from '../parts/page.ts'
import { formatNumber } from '../parts/shown-values.ts'
import { renderTimeLink } from '../parts/times.ts'

const { path: PATH } = NAVIGATION.webhooks

/** Says what the receiver answered, or why there is no answer. */
export function describeOutcome({ error, httpStatus }: Delivery): string {
  return error === null ? `The receiver answered ${httpStatus ?? ''}`.trim() : error
}

/** Renders deliveries, each with a button that sends its message again. */
export function renderDeliveryTable(webhookId: string, deliveries: Delivery[], timeZone: string): Html {
  return html`<table class="cards">
    <caption class="visually-hidden">
      Deliveries, newest first
    </caption>
    <thead>
      <tr>
        <th scope="col">Sent</th>
        <th scope="col">Message</th>
        <th scope="col">Result</th>
        <th scope="col" class="number">Duration</th>
        <th scope="col"><span class="visually-hidden">Action</span></th>
      </tr>
    </thead>
    <tbody>
      ${deliveries.map(
        (delivery) =>
          html`<tr>
            <th scope="row">${renderTimeLink(`${PATH}/${webhookId}/deliveries/${delivery.id}`, delivery.sentAt, timeZone)}</th>
            <td data-label="Message">${renderMessage(delivery)}</td>
            <td data-label="Result">${renderOutcome(delivery)}</td>
            <td class="number" data-label="Duration">${formatNumber(delivery.durationMs)} ms</td>
            <td>
              ${renderSendAgain(webhookId, delivery)}
            </td>
          </tr>`,
      )}
    </tbody>
  </table>`
}

/** Renders a button that sends a message again. */
export function renderSendAgain(webhookId: string, delivery: Delivery): Html {
  return html`<form method="post" action="${PATH}/${webhookId}/deliveries/${delivery.id}/redeliver">
    <button>Send again<span class="visually-hidden"> ${describeMessage(delivery)}</span></button>
  </form>`
}

function describeMessage({ type, position }: Delivery): string {
  return position === null ? type : `${type} of event ${formatNumber(position)}`
}

/** Renders the type of a message and its event. */
export function renderMessage({ type, position }: Delivery): Html {
  const event =
    position === null
      ? ''
      : html`<br /><a href="${NAVIGATION.events.path}/${position}">Event ${formatNumber(position)}</a>`
  return html`<code>${type}</code>${event}`
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
