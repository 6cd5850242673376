import type { WebhookWithSecret } from '#accounts/webhooks/change-webhook'
import type { PageContent } from '../parts/form-page.ts'
import { html, type Html } from '../parts/html.ts'
import { NAVIGATION } from '#wording/navigation'
import { renderCopyable, renderCopyWarning } from '../parts/once.ts'
import { renderTime } from '../parts/times.ts'
import { formatWebhookName } from './webhook-words.ts'

const { path: PATH } = NAVIGATION.webhooks

/** Returns the page that shows a new secret of a webhook. */
export function showWebhookSecret({ webhook, secret }: WebhookWithSecret, timeZone: string): PageContent {
  const isFirst = webhook.rotatedAt === null
  return {
    title: isFirst ? 'Webhook created' : 'Webhook secret rotated',
    body: html`${renderCopyWarning('the secret')}
      <h2>Secret of “<bdi>${formatWebhookName(webhook)}</bdi>”</h2>
      ${renderCopyable('secret', secret, 'Copy secret')}
      <p>
        The receiver needs it to verify the signatures of messages, with any library for
        <a href="https://www.standardwebhooks.com">Standard Webhooks</a>.
      </p>
      ${isFirst ? '' : renderPreviousSecret(webhook.previousExpiresAt, timeZone)}
      <div class="actions">
        ${isFirst ? html`<form method="post" action="${PATH}/${webhook.id}/ping"><button class="primary">Send test message</button></form>` : ''}
        <a class="button" href="${PATH}/${webhook.id}">View webhook</a>
      </div>`,
  }
}

function renderPreviousSecret(expiresAt: string | null, timeZone: string): Html {
  return expiresAt === null
    ? html`<p>Messages are no longer signed with the previous secret.</p>`
    : html`<p>Messages are signed with the previous secret, too, until ${renderTime(expiresAt, timeZone)}.</p>`
}
