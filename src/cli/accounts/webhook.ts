import { omitUndefined } from '#domain/omit-undefined'
import { newId } from '#ledger/new-id'
import { changeWebhook, createWebhook, NO_SUCH_WEBHOOK, rotateWebhookSecret } from '#accounts/webhooks/change-webhook'
import { findWebhook, listWebhooks, type SeenWebhook, findResumePosition } from '#accounts/webhooks/read-webhooks'
import { problem } from '#domain/errors'
import { readWebhookSettings } from '#domain/webhooks/webhook-lifecycle'
import { WEBHOOK_TYPES, type WebhookType } from '#domain/webhook-types'
import { RefusedByStateError } from '#accounts/change-company'
import { mayReach } from '#outgoing/reachable-addresses'
import { withStore } from '../terminal/with-store.ts'
import { asOperator, changeAsOperator, type CompanyOptions, openServices } from './operator.ts'

interface WebhookOptions extends CompanyOptions {
  webhook: string
}

interface NewWebhook extends CompanyOptions {
  url: string
  description: string
  types?: WebhookType[]
  includeData: boolean
  concurrency: number
}

/** `webhook create`: creates a webhook. */
export async function addWebhook({ company, types = [...WEBHOOK_TYPES], includeData, ...rest }: NewWebhook) {
  const { url, description, concurrency } = rest
  const given = { url, description, types, include_data: includeData, concurrency }
  const created = await withStore(async (opened) => {
    const { settings, error } = readWebhookSettings(given, {
      allowsHttp: opened.config.OUTGOING_PRIVATE === 1,
      mayReach,
    })
    if (error) throw new RefusedByStateError(problem('validation_failed', `The URL ${error.message}`))
    return createWebhook(await openServices(opened), asOperator(company), settings)
  })
  return { ...describeWebhook(created), secret: created.secret }
}

/** `webhook list`: lists the webhooks of a company. */
export async function showWebhooks({ company }: CompanyOptions) {
  const webhooks = await withStore(({ store: { db } }) => listWebhooks(db, company))
  return webhooks.map(describeWebhook)
}

/** `webhook show`: shows one webhook. */
export async function showWebhook({ company, webhook }: WebhookOptions) {
  const stored = await withStore(({ store: { db } }) => findWebhook(db, company, webhook))
  if (!stored) throw new RefusedByStateError(NO_SUCH_WEBHOOK)
  return describeWebhook(stored)
}

/** `webhook pause`. */
export async function pauseWebhook({ company, webhook }: WebhookOptions) {
  return describeWebhook(await changeAsOperator(company, changeWebhook, webhook, { change: 'pause' }))
}

/** `webhook resume`: resumes deliveries, after a position or since a time if one is given. */
export async function resumeWebhook(options: WebhookOptions & { after?: number; since?: string }) {
  const { company, webhook, after, since } = options
  const changed = await withStore(async ({ store: { db, pool } }) => {
    const position = since === undefined ? after : await findResumePosition(db, company, since)
    const change = { change: 'resume', ...omitUndefined({ position }) } as const
    return changeWebhook({ pool, newId }, asOperator(company), webhook, change)
  })
  return describeWebhook(changed)
}

/** `webhook rotate`: makes a new secret; messages are signed with the old one, too, for `overlap` seconds. */
export async function rotateWebhook({ company, webhook, overlap }: WebhookOptions & { overlap: number }) {
  const rotated = await withStore(async (opened) =>
    rotateWebhookSecret(await openServices(opened), asOperator(company), webhook, overlap),
  )
  return { ...describeWebhook(rotated), secret: rotated.secret }
}

/** `webhook remove`. */
export async function removeWebhook({ company, webhook }: WebhookOptions) {
  const removed = await changeAsOperator(company, changeWebhook, webhook, { change: 'remove' })
  return { webhook_id: removed.webhook.id, status: 'removed' }
}

function describeWebhook({ webhook, now }: SeenWebhook) {
  const { settings, progress, previousExpiresAt } = webhook
  return {
    webhook_id: webhook.id,
    url: settings.url,
    description: settings.description,
    types: settings.types.length === WEBHOOK_TYPES.length ? 'all' : settings.types.join(' '),
    include_data: settings.include_data,
    concurrency: settings.concurrency,
    status: webhook.status,
    disabled_reason: webhook.disabledReason,
    position: progress.position,
    behind: progress.head - progress.position,
    failing_since: progress.failingSince,
    failed_attempts: progress.attempts,
    next_attempt_at: progress.dueAt,
    last_error: progress.error,
    created_at: webhook.createdAt,
    old_secret_signs_until: previousExpiresAt !== null && previousExpiresAt > now ? previousExpiresAt : null,
  }
}
