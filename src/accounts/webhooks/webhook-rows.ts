import type { ClientBase } from 'pg'
import { toUuid } from '../../domain/ids.ts'
import type { WebhookLife } from '../../domain/webhooks/webhook-lifecycle.ts'
import type { SecretBox } from '../secrets/secret-box.ts'
import { SELECT_WEBHOOKS, toSeenWebhook, type WebhookRecord, type WebhookRow } from './read-webhooks.ts'
import type { Queryable } from '../../postgres/query-client.ts'

/*
 * The rows of webhooks, written only under the lock of the company's head, together with the webhook's events. Only
 * the encryption of all stored secrets under another key replaces secrets without that lock.
 */

/** Loads a webhook under the lock of its company's head; null if the company has no such webhook. */
export async function loadWebhook(
  client: ClientBase,
  companyId: string,
  webhookId: string,
): Promise<WebhookRecord | null> {
  const text = `${SELECT_WEBHOOKS} where w.company_id = $1 and w.webhook_id = $2`
  const { rows } = await client.query<WebhookRow>(text, [toUuid(companyId), toUuid(webhookId)])
  return rows[0] ? toSeenWebhook(rows[0]).webhook : null
}

/** Counts the webhooks of a company. */
export async function countWebhooks(client: Queryable, companyId: string): Promise<number> {
  const text = 'select count(*)::integer as count from webhooks where company_id = $1'
  const { rows } = await client.query<{ count: number }>(text, [toUuid(companyId)])
  return rows[0]!.count
}

/** Inserts a new webhook, whose deliveries begin after the head's present position. */
export async function insertWebhook(
  client: ClientBase,
  companyId: string,
  webhook: WebhookLife,
  sealed: Buffer,
  now: string,
): Promise<void> {
  const ids = [toUuid(companyId), toUuid(webhook.id)]
  const { url, description, types, include_data: includeData, concurrency } = webhook.settings
  await client.query(
    `insert into webhooks (company_id, webhook_id, version, url, description, types, include_data, concurrency, status,
       secret, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
    [...ids, webhook.version, url, description, types, includeData, concurrency, webhook.status, sealed, now],
  )
  await client.query(
    `insert into webhook_progress (company_id, webhook_id, position)
     select company_id, $2, position from heads where company_id = $1`,
    ids,
  )
}

/** Stores a changed webhook, and outdates what was read of it. */
export async function updateWebhook(
  client: ClientBase,
  companyId: string,
  webhook: WebhookLife,
  now: string,
): Promise<void> {
  const { url, description, types, include_data: includeData, concurrency } = webhook.settings
  await client.query(
    `update webhooks set version = $3, revision = revision + 1, url = $4, description = $5, types = $6,
       include_data = $7, concurrency = $8, status = $9, disabled_reason = $10,
       disabled_at = case when $9 <> 'disabled' then null else coalesce(disabled_at, $11) end
     where company_id = $1 and webhook_id = $2`,
    [
      toUuid(companyId),
      toUuid(webhook.id),
      webhook.version,
      url,
      description,
      types,
      includeData,
      concurrency,
      webhook.status,
      webhook.disabledReason,
      now,
    ],
  )
}

/** Deletes a webhook. Its deliveries expire with their age. */
export async function deleteWebhook(client: ClientBase, companyId: string, webhookId: string): Promise<void> {
  const ids = [toUuid(companyId), toUuid(webhookId)]
  await client.query('delete from webhook_progress where company_id = $1 and webhook_id = $2', ids)
  await client.query('delete from webhooks where company_id = $1 and webhook_id = $2', ids)
}

/**
 * Makes deliveries go on after a position, at once and as if nothing had failed. Takes the lease away, so that a worker
 * that is delivering does not record its own position over this one.
 */
export async function moveProgress(
  client: ClientBase,
  companyId: string,
  webhookId: string,
  position: number,
): Promise<void> {
  await client.query(
    `update webhook_progress set position = $3, ahead = case when position = $3 then ahead else '{}' end,
       attempts = 0, failing_since = null, due_at = null, error = null, lease_id = null, leased_until = null
     where company_id = $1 and webhook_id = $2`,
    [toUuid(companyId), toUuid(webhookId), position],
  )
}

/** Whether a lease on a webhook has not been taken away. Locks the webhook's progress. */
export async function hasLease(
  client: ClientBase,
  companyId: string,
  webhookId: string,
  leaseId: string,
): Promise<boolean> {
  const { rowCount } = await client.query(
    'select from webhook_progress where company_id = $1 and webhook_id = $2 and lease_id = $3 for update',
    [toUuid(companyId), toUuid(webhookId), leaseId],
  )
  return rowCount === 1
}

/** Replaces a webhook's secret. The old one signs too until `previousExpiresAt`, or ends at once if that is null. */
export async function replaceWebhookSecret(
  client: ClientBase,
  companyId: string,
  webhookId: string,
  rotation: { sealed: Buffer; previousExpiresAt: string | null; now: string },
): Promise<void> {
  const { sealed, previousExpiresAt, now } = rotation
  await client.query(
    `update webhooks set secret = $3, rotated_at = $4, previous_expires_at = $5::timestamptz,
       previous_secret = case when $5::timestamptz is null then null else secret end
     where company_id = $1 and webhook_id = $2`,
    [toUuid(companyId), toUuid(webhookId), sealed, now, previousExpiresAt],
  )
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
