import { sql, type RawBuilder } from 'kysely'
import { toUuid } from '#domain/ids'
import type { WebhookLife } from '#domain/webhooks/webhook-lifecycle'
import type { Transaction } from '../change-company.ts'
import type { SecretBox } from '../secrets/secret-box.ts'
import type { Queryable } from '#postgres/query-client'

/*
 * The rows of webhooks, written only under the lock of the company's head, together with the webhook's events. Only
 * the encryption of all stored secrets under another key replaces secrets without that lock.
 */

/** The rows of a webhook, in any table that has some. */
function isWebhook(companyId: string, webhookId: string): RawBuilder<boolean> {
  return sql`company_id = ${toUuid(companyId)} and webhook_id = ${toUuid(webhookId)}`
}

/** Counts the webhooks of a company. */
export async function countWebhooks(client: Queryable, companyId: string): Promise<number> {
  const text = 'select count(*)::integer as count from webhooks where company_id = $1'
  const { rows } = await client.query<{ count: number }>(text, [toUuid(companyId)])
  return rows[0]!.count
}

/** Inserts a new webhook, whose deliveries begin after the head's present position. */
export async function insertWebhook(
  { db, companyId, now }: Transaction,
  webhook: WebhookLife,
  sealed: Buffer,
): Promise<void> {
  const [company, id] = [toUuid(companyId), toUuid(webhook.id)]
  const { url, description, types, include_data: includeData, concurrency } = webhook.settings
  await sql`insert into webhooks (company_id, webhook_id, version, url, description, types, include_data, concurrency,
      status, secret, created_at)
    values (${company}, ${id}, ${webhook.version}, ${url}, ${description}, ${types}, ${includeData}, ${concurrency},
      ${webhook.status}, ${sealed}, ${now})`.execute(db)
  await sql`insert into webhook_progress (company_id, webhook_id, position)
    select company_id, ${id}::uuid, position from heads where company_id = ${company}`.execute(db)
}

/** Stores a changed webhook, and outdates what was read of it. */
export async function updateWebhook({ db, companyId, now }: Transaction, webhook: WebhookLife): Promise<void> {
  const { url, description, types, include_data: includeData, concurrency } = webhook.settings
  const disabledAt = webhook.status === 'disabled' ? sql`coalesce(disabled_at, ${now})` : sql`null`
  await sql`update webhooks set version = ${webhook.version}, revision = revision + 1, url = ${url},
      description = ${description}, types = ${types}, include_data = ${includeData}, concurrency = ${concurrency},
      status = ${webhook.status}, disabled_reason = ${webhook.disabledReason}, disabled_at = ${disabledAt}
    where ${isWebhook(companyId, webhook.id)}`.execute(db)
}

/** Deletes a webhook. Its deliveries expire with their age. */
export async function deleteWebhook({ db, companyId }: Transaction, webhookId: string): Promise<void> {
  await sql`delete from webhook_progress where ${isWebhook(companyId, webhookId)}`.execute(db)
  await sql`delete from webhooks where ${isWebhook(companyId, webhookId)}`.execute(db)
}

/**
 * Makes deliveries go on after a position, at once and as if nothing had failed. Takes the lease away, so that a worker
 * that is delivering does not record its own position over this one.
 */
export async function moveProgress({ db, companyId }: Transaction, webhookId: string, position: number): Promise<void> {
  await sql`update webhook_progress set position = ${position},
      ahead = case when position = ${position} then ahead else '{}' end,
      attempts = 0, failing_since = null, due_at = null, error = null, lease_id = null, leased_until = null
    where ${isWebhook(companyId, webhookId)}`.execute(db)
}

/** Whether a lease on a webhook has not been taken away. Locks the webhook's progress. */
export async function hasLease({ db, companyId }: Transaction, webhookId: string, leaseId: string): Promise<boolean> {
  const { rows } = await sql`select 1 from webhook_progress
    where company_id = ${toUuid(companyId)} and webhook_id = ${toUuid(webhookId)} and lease_id = ${leaseId}
    for update`.execute(db)
  return rows.length === 1
}

/** Replaces a webhook's secret. The old one signs too until `previousExpiresAt`, or ends at once if that is null. */
export async function replaceWebhookSecret(
  { db, companyId, now }: Transaction,
  webhookId: string,
  sealed: Buffer,
  previousExpiresAt: string | null,
): Promise<void> {
  await sql`update webhooks set secret = ${sealed}, rotated_at = ${now}, previous_expires_at = ${previousExpiresAt},
      previous_secret = ${previousExpiresAt === null ? sql`null` : sql`secret`}
    where ${isWebhook(companyId, webhookId)}`.execute(db)
}

/** Seals a webhook's secret for its row. */
export function encryptSecret(secrets: SecretBox, secret: string, webhookId: string): Buffer {
  return secrets.encrypt(secret, placeOfWebhookSecret(webhookId))
}

/** Opens a webhook's sealed secret. Throws UnreadableSecretError. */
export function decryptSecret(secrets: SecretBox, sealed: Buffer, webhookId: string): string {
  return secrets.decrypt(sealed, placeOfWebhookSecret(webhookId))
}

/**
 * SQL of the sealed secrets of a webhook `w` that sign now: the replaced one follows until it expires. `time` is now, or
 * this many seconds later. Citus allows only immutable functions where a lease returns them.
 */
export function signingSecrets(time: string, secondsLater = 0): string {
  return `array_remove(array[w.secret, case when ${time} - w.previous_expires_at < interval '${secondsLater} seconds'
    then w.previous_secret end], null)`
}

/** Names the row whose secrets are sealed. */
export function placeOfWebhookSecret(webhookId: string): string {
  return `webhook secret of ${webhookId}`
}
