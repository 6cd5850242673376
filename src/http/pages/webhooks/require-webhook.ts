import { NO_SUCH_WEBHOOK } from '../../../accounts/webhooks/change-webhook.ts'
import { findWebhook, type SeenWebhook } from '../../../accounts/webhooks/read-webhooks.ts'
import { readWebhookId } from '../../admin/webhooks/webhook-routes.ts'
import { ProblemError } from '../../server/problem.ts'
import type { PageRequest } from '../parts/form-page.ts'
import type { PageServices } from '../parts/page-services.ts'
import { getViewer } from '../parts/viewer.ts'

export type WebhookRequest = PageRequest<{ id: string }>
export type DeliveryRequest = PageRequest<{ id: string; delivery_id: string }>

/** Finds the webhook in the path of a page. Throws a problem if the company has no such webhook. */
export async function requireWebhook({ db }: PageServices, request: WebhookRequest): Promise<SeenWebhook> {
  const webhook = await findWebhook(db, getViewer(request).companyId, readWebhookId(request.params.id))
  if (!webhook) throw new ProblemError(NO_SUCH_WEBHOOK)
  return webhook
}
