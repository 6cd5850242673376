import type { FastifyRequest, FastifyInstance } from 'fastify'
import { isId } from '#domain/ids'
import { formatTime } from '#domain/local-times'
import { PING_TYPE } from '#domain/webhook-types'
import {
  findDelivery,
  type Delivery,
  type KeptDelivery,
  listDeliveries,
  findWebhook,
} from '#accounts/webhooks/read-webhooks'
import { NAVIGATION } from '#wording/navigation'
import { decapitalize, formatNumber } from '#wording/numbers'
import { rebuildMessage, type RebuiltMessage } from '#delivery/webhooks/single-deliveries'
import { readDeliveryId, requireDelivery, DELIVERY_STATUSES } from '#api/admin/webhooks/webhooks'
import { readWebhookId, requireWebhook } from '#api/admin/webhooks/webhook-schemas'
import {
  renderBadge,
  html,
  renderTable,
  renderTimeLink,
  renderFacts,
  renderTime,
  isolate,
  renderEmpty,
  renderHint,
} from '#pages/parts/elements'
import { readFormFields, listOptions } from '#pages/parts/form'
import { type PageServices, getViewer } from '#pages/parts/context'
import { addFormPage, addPage, type PageRequest } from '#pages/parts/form-page'
import { readListQuery, renderFilter, renderListLinks, ROWS_A_PAGE } from '#pages/parts/list-pages'
import { formatWebhookName } from './webhook-words.ts'

const { path: PATH } = NAVIGATION.webhooks

export type WebhookRequest = PageRequest<{ id: string }>

/** Finds the webhook in the path of a page. Throws a problem if the company has no such webhook. */
export async function loadWebhook({ db }: PageServices, request: WebhookRequest) {
  return requireWebhook(await findWebhook(db, getViewer(request).companyId, readWebhookId(request.params.id)))
}

/** Says what the receiver answered, or why there is no answer. */
function describeOutcome({ error, httpStatus }: Delivery) {
  return error ?? `The receiver answered ${httpStatus ?? ''}`
}

/** Renders deliveries, each with a button that sends its message again. */
export function renderDeliveryTable(webhookId: string, deliveries: KeptDelivery[], timeZone: string) {
  return renderTable({
    caption: 'Deliveries, newest message first',
    columns: {
      Sent: ({ id, sentAt }) =>
        html`${renderTimeLink(`${PATH}/${webhookId}/deliveries/${id}`, sentAt, timeZone)}
            <div class="hint below">${formatTime(sentAt, timeZone)}</div>`,
      Message: renderMessage,
      Result: renderOutcome,
      Duration: { isNumber: true, cell: ({ durationMs }) => `${formatNumber(durationMs)} ms` },
      Action: { isHeadingHidden: true, cell: (delivery) => renderSendAgain(webhookId, delivery) },
    },
    rows: groupByMessage(deliveries),
  })
}

/** Puts the attempts of a message next to each other, that with the newest attempt first. */
function groupByMessage(deliveries: KeptDelivery[]) {
  return [
    ...Map.groupBy(deliveries, ({ id, type, position }) => (position === null ? id : `${type} ${position}`)),
  ].flatMap(([, attempts]) => attempts)
}

/** Renders a button that sends a message again. */
function renderSendAgain(webhookId: string, delivery: Delivery) {
  return html`<form method="post" action="${PATH}/${webhookId}/deliveries/${delivery.id}/redeliver">
    <button class="unbroken">Send again<span class="visually-hidden"> ${describeMessage(delivery)}</span></button>
  </form>`
}

function describeMessage({ type, position }: Delivery) {
  return position === null ? type : `${type} of event ${formatNumber(position)}`
}

/** Renders the type of a message and its event. */
function renderMessage({ type, position, attempt }: KeptDelivery) {
  const event =
    position === null
      ? ''
      : html`<br /><a href="${NAVIGATION.events.path}/${position}">Event ${formatNumber(position)}</a>`
  const nth = attempt > 1 ? html`<br />Attempt ${formatNumber(attempt)}` : ''
  return html`<code class="unbroken">${type}</code>${event}${nth}`
}

function renderOutcome(delivery: Delivery) {
  const { answer } = delivery
  return html`${renderResult(delivery)}
    ${
      answer !== null &&
      html`<details>
            <summary>Answer</summary>
            <pre>${answer}</pre>
          </details>`
    }`
}

/** Renders whether a message was delivered, and the status that the receiver answered. */
function renderResult(delivery: Delivery) {
  return html`${delivery.isDelivered ? renderBadge('good', 'Delivered') : renderBadge('bad', 'Failed')}
    <div>${describeOutcome(delivery)}</div>`
}

/** Finds the delivery in `?sent=`; null if there is none. */
export async function findSent({ db }: PageServices, request: FastifyRequest, webhookId: string) {
  const { sent } = readFormFields(request.query)
  return isId('dlv', sent) ? findDelivery(db, getViewer(request).companyId, webhookId, sent) : null
}

/** Renders how a delivery ended. */
export function renderSent(delivery: Delivery) {
  const { isDelivered, type, durationMs, answer } = delivery
  const what = type === PING_TYPE ? 'Test message' : 'Message'
  const outcome = decapitalize(describeOutcome(delivery))
  const length = `${formatNumber(durationMs)} ms`
  const text = isDelivered
    ? `${what} delivered: ${outcome} after ${length}.`
    : `${what} failed: ${outcome} after ${length}.`
  return html`<p class="${isDelivered ? 'notice' : 'alert'}" role="${isDelivered ? 'status' : 'alert'}">${text}</p>
    ${
      answer !== null &&
      html`<h2>Answer from the receiver</h2>
            <pre>${answer}</pre>`
    }`
}

/** A page of a delivery, or an action on one. */
type DeliveryRequest = PageRequest<{ id: string; delivery_id: string }>

/** `/settings/webhooks/{id}/deliveries`: what was sent in the last 30 days, and the page of each delivery. */
export function addDeliveryPages(app: FastifyInstance, services: PageServices) {
  addDeliveryPage(app, services)
  addFormPage(app, {
    path: `${PATH}/:id/deliveries`,
    load: (request: DeliveryRequest) => loadDeliveries(services, request),
    render: ({ webhook, sent, status, cursor, deliveries }, forms, request) => {
      const path = `${PATH}/${webhook.id}/deliveries`
      const isFiltered = status !== undefined || cursor !== undefined
      const filter = renderFilter(path, { name: 'status', label: 'Result', value: status ?? '', options: FILTERS })
      const shown = deliveries.slice(0, ROWS_A_PAGE)
      const nothing = isFiltered
        ? renderEmpty(html`No matching deliveries. <a href="${path}">Show all</a>`)
        : renderEmpty(
            html`Nothing has been sent in the last 30 days. <a href="${PATH}/${webhook.id}">Send a test message</a>`,
          )
      return {
        title: `Deliveries to ${formatWebhookName(webhook)}`,
        heading: html`Deliveries`,
        trail: [NAVIGATION.webhooks, { label: formatWebhookName(webhook), path: `${PATH}/${webhook.id}` }],
        body: html`${sent && !forms.isRefused && renderSent(sent)}
          <p>Every attempt of the last 30 days. Open one to see what was sent.</p>
          ${(shown.length > 0 || isFiltered) && filter}
          ${shown.length > 0 ? renderDeliveryTable(webhook.id, shown, getViewer(request).timeZone) : nothing}
          ${renderListLinks(path, { status }, cursor, deliveries, ({ id }) => id)}`,
      }
    },
    forms: {
      redeliver: {
        path: '/:delivery_id/redeliver',
        config: { isHeavyRead: true },
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
  const { webhook } = await loadWebhook(services, request)
  const { cursor, page, filter } = readListQuery(request, 'dlv', DELIVERY_STATUSES)
  const { status } = filter
  const deliveries = await listDeliveries(services.db, getViewer(request).companyId, webhook.id, {
    ...page,
    ...(status === undefined ? {} : { isDelivered: status === 'delivered' }),
  })
  return { webhook, sent: await findSent(services, request, webhook.id), status, cursor, deliveries }
}

const FILTERS = listOptions({ delivered: 'Delivered', failed: 'Failed' })

/** `/settings/webhooks/{id}/deliveries/{delivery_id}`: what was sent, and what the receiver answered. */
function addDeliveryPage(app: FastifyInstance, services: PageServices) {
  addPage(app, {
    path: `${PATH}/:id/deliveries/:delivery_id`,
    load: (request: DeliveryRequest) => loadDelivery(services, request),
    render: ({ webhook, delivery, message }, _, request) => {
      const { timeZone } = getViewer(request)
      const name = formatWebhookName(webhook)
      const path = `${PATH}/${webhook.id}`
      return {
        title: `Delivery to ${name}`,
        heading: html`Delivery`,
        trail: [NAVIGATION.webhooks, { label: name, path }, { label: 'Deliveries', path: `${path}/deliveries` }],
        body: html`${renderFacts({
          Sent: html`${formatTime(delivery.sentAt, timeZone)} (${renderTime(delivery.sentAt, timeZone)})`,
          Message: renderMessage(delivery),
          Result: renderResult(delivery),
          Duration: `${formatNumber(delivery.durationMs)} ms`,
        })}
          <div class="columns">${renderRequest(message)} ${renderAnswer(delivery)}</div>
          ${renderSendAgain(webhook.id, delivery)}`,
      }
    },
  })
}

async function loadDelivery(services: PageServices, request: DeliveryRequest) {
  const { companyId } = getViewer(request)
  const { webhook } = await loadWebhook(services, request)
  const deliveryId = readDeliveryId(request.params.delivery_id)
  const delivery = requireDelivery(await findDelivery(services.db, companyId, webhook.id, deliveryId))
  return { webhook, delivery, message: await rebuildMessage(services.db, companyId, webhook, delivery) }
}

/** Indents JSON. Other text stays as it is, and so do numbers that JavaScript would round. */
function indentJson(text: string) {
  const outsideStrings = text.replaceAll(/"(?:\\.|[^"\\])*"/g, '')
  if (/\d{16}|\d[eE]/.test(outsideStrings)) return text
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

function renderRequest(message: RebuiltMessage | null) {
  if (!message)
    return html`<section>
      <h2>Request</h2>
      ${renderHint('The ledger no longer has the event: it was restored to an earlier state.')}
    </section>`
  return html`<section>
    <h2>Request</h2>
    <p class="hint">
      ${
        message.isErased
          ? 'The data of this event has been erased. Names and values that were sent before are not shown.'
          : 'Made again from the event, because messages are not stored. The body is indented here.'
      }
    </p>
    <pre>${Object.entries(message.headers).map(([name, value]) => `${name}: ${value}\n`)}webhook-signature: not kept

${isolate(indentJson(message.body))}</pre>
  </section>`
}

function renderAnswer({ httpStatus, error, answer }: Delivery) {
  const none = html`<p>The receiver sent no body, or it has been erased.</p>`
  return html`<section>
    <h2>Answer</h2>
    <p class="hint">${httpStatus === null ? (error ?? 'No answer') : `Status ${httpStatus}`}</p>
    ${answer === null ? none : html`<pre>${isolate(indentJson(answer))}</pre>`}
  </section>`
}
