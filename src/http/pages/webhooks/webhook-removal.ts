import type { FastifyInstance } from 'fastify'
import { changeWebhook } from '../../../accounts/webhooks/change-webhook.ts'
import type { WebhookRecord } from '../../../accounts/webhooks/read-webhooks.ts'
import { renderFacts } from '../parts/facts.ts'
import { renderButtons, renderTypedConfirmation, requireTyped } from '../parts/form.ts'
import { addFormPage, renderForm } from '../parts/form-page.ts'
import { html } from '../parts/html.ts'
import { NAVIGATION } from '../parts/navigation.ts'
import type { PageServices } from '../parts/page-services.ts'
import { getActing } from '../parts/viewer.ts'
import { requireWebhook, type WebhookRequest } from './require-webhook.ts'
import { formatWebhookName } from './webhook-words.ts'

const { path: PATH } = NAVIGATION.webhooks

/** `/settings/webhooks/{id}/remove`: removes a webhook for good. */
export function addWebhookRemoval(app: FastifyInstance, services: PageServices): void {
  addFormPage(app, {
    path: `${PATH}/:id/remove`,
    load: (request: WebhookRequest) => requireWebhook(services, request),
    render: ({ webhook }, forms) => {
      const name = formatWebhookName(webhook)
      const { description, url } = webhook.settings
      return {
        title: `Remove ${name}`,
        heading: html`Remove webhook?`,
        trail: [NAVIGATION.webhooks, { label: name, path: `${PATH}/${webhook.id}` }],
        body: html`${renderFacts([
          description === '' ? null : ['Description', html`<bdi>${description}</bdi>`],
          ['URL', html`<code>${url}</code>`],
        ])}
          <p class="warning">This can't be undone. Messages that have not been delivered are not sent.</p>
          <p>To stop messages for a while, pause the webhook instead. Its past changes stay in the event stream.</p>
          ${renderForm(forms, 'remove', {
            fields: (_values, problem) => renderTypedConfirmation(getExpectedText(webhook), problem),
            buttons: renderButtons('Remove webhook', `${PATH}/${webhook.id}`, 'danger'),
          })}`,
      }
    },
    forms: {
      remove: {
        async run(request, fields) {
          const { webhook } = await requireWebhook(services, request)
          requireTyped(fields, getExpectedText(webhook))
          await changeWebhook(services.webhooks, getActing(request), webhook.id, { change: 'remove' })
          return { goTo: `${PATH}?done=removed` }
        },
      },
    },
  })
}

/** Returns what an administrator types to confirm: the host, because addresses may be long. */
function getExpectedText({ settings }: WebhookRecord): string {
  return new URL(settings.url).host
}
