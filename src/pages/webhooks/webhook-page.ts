import type { FastifyInstance } from 'fastify'
import { WEBHOOK_TYPES } from '#domain/webhook-types'
import { renderProblemsOf } from '#pages/parts/attention'
import { changeWebhook, rotateWebhookSecret } from '#accounts/webhooks/change-webhook'
import {
  countWaitingMessages,
  type WaitingMessages,
  type SeenWebhook,
  type WebhookRecord,
  type KeptDelivery,
  listDeliveries,
} from '#accounts/webhooks/read-webhooks'
import { WEBHOOK_ACTIONS, readWebhookId, RotateWebhookBody } from '#api/admin/webhooks/webhook-schemas'
import {
  listActionForms,
  listNotices,
  renderAction,
  addFormPage,
  renderForm,
  renderFormSection,
  type PageForms,
} from '#pages/parts/form-page'
import { addQuestionPage } from '#pages/parts/question-page'
import { buildUrl, NAVIGATION } from '#wording/navigation'
import {
  renderCode,
  isolate,
  renderFacts,
  html,
  renderTime,
  renderButton,
  renderEmpty,
  renderJoined,
  renderWarning,
} from '#pages/parts/elements'
import { readSeenVersion, type FormFields } from '#pages/parts/form'
import { type PageServices, getActing, getViewer, readProblemsOf } from '#pages/parts/context'
import { readOverlap, renderRotation } from '#pages/parts/rotation'
import { formatNumber } from '#wording/numbers'
import { renderBreakable } from '#pages/parts/attribute-values'
import { findSent, renderDeliveryTable, renderSent, loadWebhook, type WebhookRequest } from './deliveries-page.ts'
import {
  formatFields,
  readWebhookForm,
  renderWebhookFields,
  WEBHOOK_FIELDS,
  readResumeForm,
  listResumeFields,
  RESUME_FIELDS,
} from './webhook-form.ts'
import { showWebhookSecret } from './webhooks-page.ts'
import { describeProgress, describeTrouble, formatWebhookName, renderWebhookStatus } from './webhook-words.ts'

const { path: PATH } = NAVIGATION.webhooks
const RECENT = 5

/** `/settings/webhooks/{id}`: one webhook, with everything that can be done with it. */
export function addWebhookPage(app: FastifyInstance, services: PageServices) {
  const { db, webhooks, singleDeliveries } = services
  const idOf = ({ params }: WebhookRequest) => readWebhookId(params.id)
  const change = (request: WebhookRequest, asked: Parameters<typeof changeWebhook>[3], fields: FormFields) =>
    changeWebhook(webhooks, getActing(request), idOf(request), asked, readSeenVersion(fields))
  addFormPage(app, {
    path: `${PATH}/:id`,
    load: (request: WebhookRequest) => loadPage(services, request),
    render: ({ seen, waiting, recent, sent, problems }, forms, request) => {
      const { timeZone } = getViewer(request)
      const { webhook } = seen
      return {
        title: formatWebhookName(webhook),
        trail: [NAVIGATION.webhooks],
        body: html`${sent && !forms.isRefused && renderSent(sent)}
          ${renderProblemsOf(webhook.id, problems, timeZone)}
          ${renderWebhookFacts(seen, waiting, timeZone)}
          ${renderWebhookActions(forms, webhook)} ${renderRecent(webhook.id, recent, timeZone)}
          ${renderWebhookForms(forms, seen, timeZone)}`,
      }
    },
    notices: {
      saved: 'Changes saved. They apply from the next message.',
      replayed: 'Messages are being sent from there.',
      ...listNotices(WEBHOOK_ACTIONS),
    },
    forms: {
      edit: {
        keeps: [...WEBHOOK_FIELDS, 'seen'],
        async run(request, fields) {
          const { webhook } = await loadWebhook(services, request)
          const settings = readWebhookForm(fields, webhooks.allowsHttp, webhook.settings)
          await change(request, { change: 'edit', settings }, fields)
          return { done: 'saved' }
        },
      },
      replay: {
        path: '/replay',
        keeps: [...RESUME_FIELDS, 'seen'],
        async run(request, fields) {
          const { companyId, timeZone } = getViewer(request)
          const position = await readResumeForm(db, companyId, fields, timeZone)
          await change(request, { change: 'resume', position }, fields)
          return { done: 'replayed' }
        },
      },
      rotate: {
        path: '/rotate',
        async issue(request, fields) {
          const { overlap_seconds: overlap } = readOverlap(RotateWebhookBody, fields)
          const seen = readSeenVersion(fields)
          const rotated = await rotateWebhookSecret(webhooks, getActing(request), idOf(request), overlap, seen)
          return { page: showWebhookSecret(rotated, getViewer(request).timeZone) }
        },
      },
      ping: {
        path: '/ping',
        config: { isHeavyRead: true },
        async run(request) {
          const { id } = await singleDeliveries.ping(getViewer(request).companyId, idOf(request))
          return { goTo: `${PATH}/${idOf(request)}?sent=${id}` }
        },
      },
      ...listActionForms(WEBHOOK_ACTIONS, (request: WebhookRequest, action) =>
        changeWebhook(webhooks, getActing(request), idOf(request), { change: action }),
      ),
    },
  })
  addWebhookRemoval(app, services)
}

/** `/settings/webhooks/{id}/remove`: removes a webhook for good. */
function addWebhookRemoval(app: FastifyInstance, services: PageServices) {
  addQuestionPage(app, {
    path: `${PATH}/:id/remove`,
    load: (request: WebhookRequest) => loadWebhook(services, request),
    ask({ webhook }) {
      const name = formatWebhookName(webhook)
      const { description, url } = webhook.settings
      return {
        title: `Remove ${name}`,
        heading: html`Remove webhook?`,
        trail: [NAVIGATION.webhooks, { label: name, path: `${PATH}/${webhook.id}` }],
        text: html`${renderFacts({
          Description: description !== '' && isolate(description),
          URL: renderCode(url),
        })}
          ${renderWarning("This can't be undone. Messages that have not been delivered are not sent.")}
          <p>To stop messages for a while, pause the webhook instead. Its past changes stay in the event stream.</p>`,
        // The host, because addresses may be long.
        typed: new URL(url).host,
        button: 'Remove webhook',
        back: `${PATH}/${webhook.id}`,
      }
    },
    async run(request, { webhook }) {
      await changeWebhook(services.webhooks, getActing(request), webhook.id, { change: 'remove' })
      return `${PATH}?done=removed`
    },
  })
}

/** Loads what the page of a webhook shows. `sent` is the delivery that was just tried. */
async function loadPage(services: PageServices, request: WebhookRequest) {
  const { companyId } = getViewer(request)
  const seen = await loadWebhook(services, request)
  const { webhook } = seen
  return {
    seen,
    waiting: (await countWaitingMessages(services.db, companyId, [webhook])).get(webhook.id)!,
    recent: await listDeliveries(services.db, companyId, webhook.id, { limit: RECENT }),
    sent: await findSent(services, request, webhook.id),
    problems: await readProblemsOf(request),
  }
}

function renderWebhookFacts(seen: SeenWebhook, waiting: WaitingMessages, timeZone: string) {
  const { webhook, now } = seen
  const { settings, rotatedAt, previousExpiresAt } = webhook
  const trouble = describeTrouble(seen)
  return renderFacts({
    Status: html`${renderWebhookStatus(webhook)} ${trouble ?? ''}`,
    Progress: html`${describeProgress(waiting)}${renderReached(webhook)}`,
    URL: renderCode(renderBreakable(settings.url)),
    'Message types': renderTypes(settings.types),
    'Messages contain': settings.include_data ? 'IDs, attribute names, and values' : 'IDs and attribute names only',
    'Messages at once': String(settings.concurrency),
    Created: renderTime(webhook.createdAt, timeZone),
    'Secret rotated': rotatedAt !== null && renderTime(rotatedAt, timeZone),
    'Previous secret':
      !(previousExpiresAt === null || previousExpiresAt <= now) &&
      html`Also signs until ${renderTime(previousExpiresAt, timeZone)}`,
  })
}

function renderReached({ progress: { position } }: WebhookRecord) {
  if (position === 0) return html`<div class="hint">Before the first event</div>`
  return html`<div class="hint">
    Up to <a href="${NAVIGATION.events.path}/${position}">event ${formatNumber(position)}</a>
  </div>`
}

function renderTypes(types: readonly string[]) {
  if (types.length === WEBHOOK_TYPES.length) return html`All`
  return renderJoined(types.map((type) => renderCode(type)))
}

function renderWebhookActions(forms: PageForms<'ping' | 'pause' | 'resume'>, { id, status, progress }: WebhookRecord) {
  const { pause, resume } = WEBHOOK_ACTIONS
  const isEnabled = status === 'enabled'
  const ping = html`<button${isEnabled && html` class="primary"`}>Send test message</button>`
  const resuming = html`<button class="primary">${resume.button}</button>`
  return html`<div class="actions">
    ${!isEnabled && renderForm(forms, 'resume', { buttons: resuming })}
    ${renderForm(forms, 'ping', { buttons: ping })}
    ${isEnabled && progress.attempts > 0 && renderAction(forms, 'resume', { ...resume, button: 'Try now' })}
    ${status !== 'paused' && renderAction(forms, 'pause', pause)}
    ${renderButton(`${PATH}/${id}/deliveries`, 'Deliveries')}
    <a class="button" href="${buildUrl(NAVIGATION.events.path, { id })}">Changes</a>
    ${renderButton(`${PATH}/${id}/remove`, 'Remove…', 'danger')}
  </div>`
}

function renderRecent(id: string, deliveries: KeptDelivery[], timeZone: string) {
  return html`<h2>Recent deliveries</h2>
    ${
      deliveries.length === 0
        ? renderEmpty('Nothing has been sent in the last 30 days.')
        : html`${renderDeliveryTable(id, deliveries, timeZone)}
            <p><a href="${PATH}/${id}/deliveries">All deliveries of the last 30 days</a></p>`
    }`
}

/** Renders the forms that change a webhook. */
function renderWebhookForms(
  forms: PageForms<'replay' | 'edit' | 'rotate'>,
  { webhook, now }: SeenWebhook,
  timeZone: string,
) {
  const { version } = webhook
  return html`${renderFormSection(forms, 'replay', {
    heading: 'Replay',
    status: 'Send messages again, or skip some.',
    text: html`<p>
      Send messages again from an earlier point, or skip to a later one. A message that is sent again has the same
      <code>webhook-id</code>, so receivers can ignore it.
    </p>`,
    version,
    fields: listResumeFields(timeZone),
    buttons: html`<button>Replay</button>`,
  })}
  ${renderFormSection(forms, 'edit', {
    heading: 'Settings',
    status: describeSettings(webhook),
    version,
    values: formatFields(webhook.settings),
    fields: renderWebhookFields,
    buttons: html`<button class="primary">Save</button>`,
  })}
  ${renderRotation(
    forms,
    webhook,
    now,
    html`<p>
      The webhook gets a new secret, which is shown once. Until the current secret expires, messages are signed with
      both. Any older secret stops working now.
    </p>`,
  )}`
}

function describeSettings({ settings: { types } }: WebhookRecord) {
  if (types.length === WEBHOOK_TYPES.length) return 'Messages of all types'
  return `Messages of ${types.length === 1 ? '1 type' : `${types.length} types`}`
}
