import type { Logger } from 'pino'
import { disableWebhook } from '#accounts/webhooks/change-webhook'
import type { WebhookDisabledReason } from '#domain/webhook-types'
import { isTransient } from '#postgres/database-errors'
import { clearFailingWork, recordFailingWork } from '#ledger/background/failing-work'
import { errorReason } from '#postgres/startup-error'
import { UnreadableSecretError } from '#accounts/secrets/secret-box'
import { deliverRound, GONE, type RoundEnd, type RoundServices } from './deliver-round.ts'
import { leaseWebhook, postponeWebhook, type WebhookRef } from './progress.ts'

export interface LeaseServices extends RoundServices {
  log: Logger
}

const POSTPONED_MS = 60_000
/** How long a receiver may refuse the same message before its webhook is disabled. */
const PATIENCE_MS = 3 * 24 * 3_600_000

/** Takes the lease on a webhook, if it is due, and delivers one round. Disables a webhook whose receiver is gone. */
export async function runLeasedRound(
  services: LeaseServices,
  ref: WebhookRef,
  leaseId: string,
  { stopping, cutOff }: { stopping: AbortSignal; cutOff: AbortSignal },
): Promise<RoundEnd> {
  if (stopping.aborted) return { end: 'lost' }
  const webhook = await leaseWebhook(services.pool, ref, leaseId)
  if (!webhook) return { end: 'lost' }
  let round: RoundEnd
  try {
    round = await deliverRound(services, webhook, leaseId, cutOff)
  } catch (error) {
    // The lease ends by itself, and the sweep finds the webhook again.
    if (isTransient(error) || !(error instanceof Error)) throw error
    await postpone(services, ref, leaseId, error)
    return { end: 'lost' }
  }
  if (webhook.error !== null && round.end !== 'lost') await clearFailingWork(services.pool, workOf(ref))
  if (round.end === 'failed') await disableIfExhausted(services, ref, leaseId, round)
  return round
}

const workOf = ({ companyId, webhookId }: WebhookRef) => ({ companyId, work: 'webhooks', subject: webhookId }) as const

/** Not the receiver's fault: tries again later, for as long as it takes. */
async function postpone({ pool, log }: LeaseServices, ref: WebhookRef, leaseId: string, error: Error): Promise<void> {
  const isSecret = error instanceof UnreadableSecretError
  log.error({ ...ref, err: error }, `could not prepare messages of a webhook${isSecret ? ': check SECRETS_KEY' : ''}`)
  const reason = isSecret ? 'The service cannot read the secret of this webhook' : 'The service failed'
  await postponeWebhook(pool, ref, leaseId, { error: reason, delayMs: POSTPONED_MS })
  await recordFailingWork(pool, workOf(ref), isSecret ? reason : errorReason(error))
}

async function disableIfExhausted(
  services: LeaseServices,
  { companyId, webhookId }: WebhookRef,
  leaseId: string,
  { status, failingMs }: { status: number | null; failingMs: number },
): Promise<void> {
  let reason: WebhookDisabledReason
  if (status === GONE) reason = 'gone'
  else if (failingMs >= PATIENCE_MS) reason = 'failing'
  else return
  await disableWebhook(services.pool, { companyId, webhookId, leaseId }, reason)
  services.log.warn({ companyId, webhookId, reason }, 'disabled a webhook')
}
