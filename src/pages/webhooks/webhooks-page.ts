import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type WebhookWithSecret, createWebhook } from '#accounts/webhooks/change-webhook'
import { NAVIGATION } from '#wording/navigation'
import {
  countWaitingMessages,
  type WaitingMessages,
  listWebhooks,
  type SeenWebhook,
} from '#accounts/webhooks/read-webhooks'
import { MAX_WEBHOOKS } from '#domain/webhooks/webhook-lifecycle'
import { type PageContent, addFormPage, addPage, renderForm } from '#pages/parts/form-page'
import {
  renderCode,
  html,
  renderCopyable,
  renderCopyWarning,
  renderTime,
  renderTable,
  isolate,
  renderActions,
  renderButton,
  renderNameLink,
  renderNothing,
} from '#pages/parts/elements'
import { readSeenVersion, renderButtons } from '#pages/parts/form'
import { type PageServices, getActing, getViewer } from '#pages/parts/context'
import { formatWebhookName, describeProgress, describeTrouble, renderWebhookStatus } from './webhook-words.ts'
import { NEW_WEBHOOK, readWebhookForm, renderWebhookFields, WEBHOOK_FIELDS } from './webhook-form.ts'

const { path: PATH } = NAVIGATION.webhooks

/** Returns the page that shows a new secret of a webhook. */
export function showWebhookSecret({ webhook, secret }: WebhookWithSecret, timeZone: string): PageContent {
  const isFirst = webhook.rotatedAt === null
  return {
    title: isFirst ? 'Webhook created' : 'Webhook secret rotated',
    body: html`${renderCopyWarning('the secret')}
      <h2>Secret of “${isolate(formatWebhookName(webhook))}”</h2>
      ${renderCopyable('secret', secret, 'Copy secret')}
      <p>
        The receiver needs it to verify the signatures of messages, with any library for
        <a href="https://www.standardwebhooks.com">Standard Webhooks</a>.
      </p>
      ${!isFirst && renderPreviousSecret(webhook.previousExpiresAt, timeZone)}
      <div class="actions">
        ${
          isFirst &&
          html`<form method="post" action="${PATH}/${webhook.id}/ping">
            <button class="primary">Send test message</button>
          </form>`
        }
        ${renderButton(`${PATH}/${webhook.id}`, 'View webhook')}
      </div>`,
  }
}

function renderPreviousSecret(expiresAt: string | null, timeZone: string) {
  return expiresAt === null
    ? html`<p>Messages are no longer signed with the previous secret.</p>`
    : html`<p>Messages are signed with the previous secret, too, until ${renderTime(expiresAt, timeZone)}.</p>`
}

interface ShownWebhook extends SeenWebhook {
  waiting: WaitingMessages
}

/** `/settings/webhooks`: the list, and the form that creates a webhook. */
export function addWebhooksPage(app: FastifyInstance, services: PageServices) {
  const { db, webhooks } = services
  addPage(app, {
    path: PATH,
    load: (request) => loadWebhooks(services, request),
    render: (shown, _, request) => ({
      title: 'Webhooks',
      body: renderWebhookList(shown, getViewer(request).timeZone),
    }),
    notices: { removed: 'Webhook removed.' },
  })
  addFormPage(app, {
    path: `${PATH}/new`,
    // A form that is sent twice creates one webhook.
    load: async (request) => (await listWebhooks(db, getViewer(request).companyId)).length,
    render: (count, forms) => ({
      title: 'Create webhook',
      trail: [NAVIGATION.webhooks],
      body: html`<p>Messages begin with the next event. The secret that signs them is shown once, on the next page.</p>
        ${renderForm(forms, 'create', {
          version: count,
          values: NEW_WEBHOOK,
          fields: renderWebhookFields,
          buttons: renderButtons('Create webhook', PATH),
        })}`,
    }),
    forms: {
      create: {
        keeps: WEBHOOK_FIELDS,
        async issue(request, fields) {
          const settings = readWebhookForm(fields, webhooks.allowsHttp)
          const created = await createWebhook(webhooks, getActing(request), settings, readSeenVersion(fields))
          return { page: showWebhookSecret(created, getViewer(request).timeZone) }
        },
      },
    },
  })
}

async function loadWebhooks({ db }: PageServices, request: FastifyRequest) {
  const { companyId } = getViewer(request)
  const seen = await listWebhooks(db, companyId)
  const waiting = await countWaitingMessages(
    db,
    companyId,
    seen.map(({ webhook }) => webhook),
  )
  return seen.map((one) => ({ ...one, waiting: waiting.get(one.webhook.id)! }))
}

function renderWebhookList(webhooks: ShownWebhook[], timeZone: string) {
  const create = renderActions(renderButton(`${PATH}/new`, 'Create webhook', 'primary'))
  const full = html`<p>
    A company can have ${MAX_WEBHOOKS} webhooks. To create another one, remove one first.
  </p>`
  return html`<p>
      Webhooks tell other systems what happens, with signed messages. See the <a href="/docs">API reference</a> for the
      messages.
    </p>
    ${
      webhooks.length === 0
        ? renderNothing(
            'No webhooks yet',
            'Create one to send changes to employees to another system as they happen.',
            create,
          )
        : html`${webhooks.length < MAX_WEBHOOKS ? create : full} ${renderWebhookTable(webhooks, timeZone)}`
    }`
}

function renderWebhookTable(webhooks: ShownWebhook[], timeZone: string) {
  return renderTable({
    caption: 'Webhooks, oldest first',
    isInLines: true,
    columns: {
      Webhook: {
        title: ({ webhook }) => webhook.settings.url,
        cell: ({ webhook }) => renderNameLink(`${PATH}/${webhook.id}`, formatWebhookName(webhook)),
      },
      URL: { isWide: true, isLong: true, cell: ({ webhook }) => renderCode(webhook.settings.url) },
      Status: (seen) => {
        const trouble = describeTrouble(seen)
        const why = trouble === null ? '' : html`<span class="why">${trouble}</span>`
        return html`${renderWebhookStatus(seen.webhook)} ${why}`
      },
      Progress: ({ waiting }) => describeProgress(waiting),
      Created: ({ webhook }) => renderTime(webhook.createdAt, timeZone),
    },
    rows: webhooks,
  })
}
