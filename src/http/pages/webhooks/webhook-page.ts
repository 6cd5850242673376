import type { FastifyInstance } from 'fastify'
import type { AttentionItem } from '../../../domain/attention.ts'
import { WEBHOOK_TYPES } from '../../../domain/webhook-types.ts'
import { renderProblemsOf } from '../parts/attention.ts'
import { changeWebhook, rotateWebhookSecret } from '../../../accounts/webhooks/change-webhook.ts'
import { countWaitingMessages, type WaitingMessages } from '../../../accounts/webhooks/count-waiting.ts'
import { type Delivery, type KeptDelivery, listDeliveries } from '../../../accounts/webhooks/read-deliveries.ts'
import type { SeenWebhook, WebhookRecord } from '../../../accounts/webhooks/read-webhooks.ts'
import { ALWAYS } from '../../access/heavy-reads.ts'
import { WEBHOOK_ACTIONS } from '../../admin/webhooks/webhook-actions.ts'
import { readWebhookId } from '../../admin/webhooks/webhook-routes.ts'
import { RotateWebhookBody } from '../../admin/webhooks/webhook-schemas.ts'
import { listActionForms, listNotices } from '../parts/actions.ts'
import { readSeenVersion } from '../parts/form.ts'
import { addFormPage, type PageForms, renderFormSection } from '../parts/form-page.ts'
import { html, type Html } from '../parts/html.ts'
import { NAVIGATION } from '../parts/navigation.ts'
import type { PageServices } from '../parts/page-services.ts'
import { readOverlap, renderRotation } from '../parts/rotation.ts'
import { getActing, getViewer, readProblemsOf } from '../parts/viewer.ts'
import { renderDeliveryTable } from './delivery-table.ts'
import { requireWebhook, type WebhookRequest } from './require-webhook.ts'
import { readResumeForm, renderResumeFields, RESUME_FIELDS } from './resume-form.ts'
import { findSent, renderSent } from './sent-delivery.ts'
import { renderWebhookActions, renderWebhookFacts } from './webhook-facts.ts'
import { formatFields, readWebhookForm, renderWebhookFields, WEBHOOK_FIELDS } from './webhook-form.ts'
import { showWebhookSecret } from './webhook-secret.ts'
import { formatWebhookName } from './webhook-words.ts'

const { path: PATH } = NAVIGATION.webhooks
const RECENT = 5

/** What the page of a webhook shows. */
interface ShownWebhook {
  seen: SeenWebhook
  waiting: WaitingMessages
  recent: KeptDelivery[]
  /** The delivery that was just tried. */
  sent: Delivery | null
  /** What needs attention. */
  problems: readonly AttentionItem[]
}

/** `/settings/webhooks/{id}`: one webhook, with everything that can be done with it but removal. */
export function addWebhookPage(app: FastifyInstance, services: PageServices): void {
  const { db, webhooks, singleDeliveries } = services
  const idOf = ({ params }: WebhookRequest) => readWebhookId(params.id)
  addFormPage(app, {
    path: `${PATH}/:id`,
    load: (request: WebhookRequest) => loadWebhook(services, request),
    render: ({ seen, waiting, recent, sent, problems }, forms, request) => {
      const { timeZone } = getViewer(request)
      const { webhook } = seen
      return {
        title: formatWebhookName(webhook),
        trail: [NAVIGATION.webhooks],
        body: html`${sent && !forms.refused ? renderSent(sent) : ''} ${renderProblemsOf(webhook.id, problems, timeZone)}
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
          const { webhook } = await requireWebhook(services, request)
          const settings = readWebhookForm(fields, webhooks.allowsHttp, webhook.settings)
          const change = { change: 'edit', settings } as const
          await changeWebhook(webhooks, getActing(request), idOf(request), change, readSeenVersion(fields))
          return { done: 'saved' }
        },
      },
      replay: {
        path: '/replay',
        keeps: [...RESUME_FIELDS, 'seen'],
        async run(request, fields) {
          const { companyId, timeZone } = getViewer(request)
          const position = await readResumeForm(db, companyId, fields, timeZone)
          const change = { change: 'resume', position } as const
          await changeWebhook(webhooks, getActing(request), idOf(request), change, readSeenVersion(fields))
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
        config: { isHeavyRead: ALWAYS },
        async run(request) {
          const { id } = await singleDeliveries.ping(getViewer(request).companyId, idOf(request))
          return { goTo: `${PATH}/${idOf(request)}?sent=${id}` }
        },
      },
      ...listActionForms(WEBHOOK_ACTIONS, (request: WebhookRequest, change) =>
        changeWebhook(webhooks, getActing(request), idOf(request), { change }),
      ),
    },
  })
}

async function loadWebhook(services: PageServices, request: WebhookRequest): Promise<ShownWebhook> {
  const { companyId } = getViewer(request)
  const seen = await requireWebhook(services, request)
  const { webhook } = seen
  return {
    seen,
    waiting: await countWaitingMessages(services.db, companyId, webhook),
    recent: await listDeliveries(services.db, companyId, webhook.id, { limit: RECENT }),
    sent: await findSent(services, request, webhook.id),
    problems: await readProblemsOf(request),
  }
}

function renderRecent(id: string, deliveries: KeptDelivery[], timeZone: string): Html {
  return html`<h2>Recent deliveries</h2>
    ${
      deliveries.length === 0
        ? html`<p class="empty">Nothing has been sent in the last 30 days.</p>`
        : html`${renderDeliveryTable(id, deliveries, timeZone)}
            <p><a href="${PATH}/${id}/deliveries">All deliveries of the last 30 days</a></p>`
    }`
}

/** Renders the forms that change a webhook. */
function renderWebhookForms<Name extends string>(
  forms: PageForms<Name | 'replay' | 'edit' | 'rotate'>,
  { webhook, now }: SeenWebhook,
  timeZone: string,
): Html {
  const { version } = webhook
  return html`${renderFormSection(forms, 'replay', {
    heading: 'Replay',
    status: 'Send messages again, or skip some.',
    text: html`<p>
      Send messages again from an earlier point, or skip to a later one. A message that is sent again has the same
      <code>webhook-id</code>, so receivers can ignore it.
    </p>`,
    version,
    fields: (values, problem) => renderResumeFields(values, problem, timeZone),
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
      both. Any older secret stops now.
    </p>`,
  )}`
}

function describeSettings({ settings: { types } }: WebhookRecord): string {
  if (types.length === WEBHOOK_TYPES.length) return 'Messages of all types'
  return `Messages of ${types.length === 1 ? '1 type' : `${types.length} types`}`
}
