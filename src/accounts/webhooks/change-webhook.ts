import { randomBytes } from 'node:crypto'
import type { Pool } from 'pg'
import { problem, type Problem } from '#domain/errors'
import {
  type WebhookChange,
  type WebhookLife,
  decideWebhook,
  decideWebhookChange,
  evolveWebhook,
  MAX_WEBHOOKS,
} from '#domain/webhooks/webhook-lifecycle'
import { WEBHOOK_SECRET_PREFIX, type WebhookDisabledReason, type WebhookSettings } from '#domain/webhook-types'
import { SCHEDULE, type CompanyChange } from '#ledger/append/append-company-events'
import type { SecretBox } from '#accounts/secrets/secret-box'
import {
  type Acting,
  type CompanyServices,
  type Transaction,
  assertHasKey,
  assertSeen,
  changeCompany,
  RefusedByStateError,
} from '#accounts/change-company'
import { findWebhook, type SeenWebhook } from './read-webhooks.ts'
import { sql, type RawBuilder } from 'kysely'
import { toUuid } from '#domain/ids'
import type { Queryable } from '#postgres/pool'

export const NO_SUCH_WEBHOOK = problem('webhook_not_found', 'No such webhook exists')
const CHANGED = 'The webhook has changed since you opened this page. Nothing was done; check it, then try again'
const CREATED_MEANWHILE =
  'A webhook has been created since you opened this form. If it is this one, rotate it to get a new secret; if ' +
  'not, submit again'
const TOO_MANY = problem('too_many_webhooks', `A company can have at most ${MAX_WEBHOOKS} webhooks; remove one first`)
const SECRET_BYTES = 32

/** The services that change webhooks. */
export interface WebhookServices extends CompanyServices {
  secrets: SecretBox
}

/** A webhook after a change. */
interface ChangedWebhook extends SeenWebhook {
  /** The position of the change's event; null if nothing changed. */
  position: number | null
}

/** The secret is shown once. */
export type WebhookWithSecret = ChangedWebhook & { secret: string }

/**
 * Creates a webhook, whose deliveries begin with the next event. With `seen`, only if the company still has that many
 * webhooks. Throws RefusedByStateError.
 */
export async function createWebhook(
  services: WebhookServices,
  acting: Acting,
  settings: WebhookSettings,
  seen?: number,
): Promise<WebhookWithSecret> {
  assertHasKey(services.secrets)
  const id = services.newId('whk')
  const secret = generateWebhookSecret()
  const created = await changeCompany(services, acting, 'admin', async (tx) => {
    const count = await countWebhooks(tx.connection, tx.companyId)
    assertSeen(seen, count, CREATED_MEANWHILE)
    if (count >= MAX_WEBHOOKS) throw new RefusedByStateError(TOO_MANY)
    const event = decideWebhook(id, settings)
    const webhook = evolveWebhook({ id, version: 0, settings, status: 'enabled', disabledReason: null }, event)
    await insertWebhook(tx, webhook, encryptSecret(services.secrets, secret, id))
    return { events: [event], result: (await findWebhook(tx.db, tx.companyId, id))! }
  })
  return { ...withHead(created), secret }
}

/**
 * Edits, pauses, resumes or removes a webhook. With `seen`, only if it still has that version. Throws
 * RefusedByStateError, also if `resume` names a position beyond the head.
 */
export async function changeWebhook(
  services: CompanyServices,
  acting: Acting,
  webhookId: string,
  change: Exclude<WebhookChange, { change: 'rotate' | 'disable' }>,
  seen?: number,
): Promise<ChangedWebhook> {
  return withHead(
    await changeCompany(services, acting, 'admin', (tx) => changeRows(tx, webhookId, { ...change, seen })),
  )
}

/**
 * Rotates a webhook's secret. For `overlapSeconds` more, messages are signed with the replaced secret as well. With
 * `seen`, only if the webhook still has that version. Throws RefusedByStateError.
 */
export async function rotateWebhookSecret(
  services: WebhookServices,
  acting: Acting,
  webhookId: string,
  overlapSeconds: number,
  seen?: number,
): Promise<WebhookWithSecret> {
  assertHasKey(services.secrets)
  const secret = generateWebhookSecret()
  const sealed = encryptSecret(services.secrets, secret, webhookId)
  const rotated = await changeCompany(services, acting, 'admin', (tx) =>
    changeRows(tx, webhookId, { change: 'rotate', overlapSeconds, seen }, sealed),
  )
  return { ...withHead(rotated), secret }
}

/**
 * Disables a webhook that its receiver refuses. Does nothing if the lease of that failure has ended, because an
 * administrator has changed the webhook since.
 */
export async function disableWebhook(
  pool: Pool,
  { companyId, webhookId, leaseId }: { companyId: string; webhookId: string; leaseId: string },
  reason: WebhookDisabledReason,
): Promise<void> {
  await changeCompany({ pool }, { companyId, actor: SCHEDULE }, 'no role', async (tx) => {
    if (!(await hasLease(tx, webhookId, leaseId))) return { events: [], result: {} }
    const { events } = await changeRows(tx, webhookId, { change: 'disable', reason, seen: undefined })
    return { events, result: {} }
  })
}

/** Decides a change under the lock and stores its events in the rows. A rotation needs the new secret. */
async function changeRows(
  tx: Transaction,
  webhookId: string,
  change: WebhookChange & { seen: number | undefined },
  sealed?: Buffer,
): Promise<CompanyChange<SeenWebhook>> {
  const found = await findWebhook(tx.db, tx.companyId, webhookId)
  if (!found) throw new RefusedByStateError(NO_SUCH_WEBHOOK)
  const { webhook: stored } = found
  assertSeen(change.seen, stored.version, CHANGED)
  const { position, head } = stored.progress
  if (change.change === 'resume' && (change.position ?? 0) > head) throw new RefusedByStateError(refuseBeyond(head))
  const isFailing = stored.progress.attempts > 0
  const events = decideWebhookChange(stored, change, { now: tx.now, position, isFailing })
  if (events.length === 0) return { events, result: found }
  const changed = events.reduce<WebhookLife>(evolveWebhook, stored)
  if (change.change === 'remove') {
    await deleteWebhook(tx, webhookId)
    return { events, result: { ...found, webhook: { ...stored, ...changed } } }
  }
  await updateWebhook(tx, changed)
  for (const { type, data } of events) {
    if (type === 'WebhookResumed') await moveProgress(tx, webhookId, data.position)
    // What failed at the old address says nothing about the new one.
    if (type === 'WebhookChanged' && data.to.url !== undefined) await moveProgress(tx, webhookId, position)
    if (type === 'WebhookSecretRotated') await replaceWebhookSecret(tx, webhookId, sealed!, data.previous_expires_at)
  }
  return { events, result: (await findWebhook(tx.db, tx.companyId, webhookId))! }
}

/** A webhook is loaded before the event of its change is appended. */
function withHead({ webhook, now, position }: ChangedWebhook): ChangedWebhook {
  const progress = { ...webhook.progress, head: position ?? webhook.progress.head }
  return { webhook: { ...webhook, progress }, now, position }
}

function refuseBeyond(head: number): Problem {
  const message = `after must be at most ${head}, the last position of the ledger`
  const error = { index: 0, id: null, pointer: '/after', code: 'invalid_value', message } as const
  return problem('validation_failed', `The last position of the ledger is ${head}`, [error])
}

function generateWebhookSecret() {
  return `${WEBHOOK_SECRET_PREFIX}${randomBytes(SECRET_BYTES).toString('base64')}`
}

/*
 * The rows of webhooks, written only under the lock of the company's head, together with the webhook's events. Only
 * the encryption of all stored secrets under another key replaces secrets without that lock.
 */

/** The rows of a webhook, in any table that has some. */
function isWebhook(companyId: string, webhookId: string): RawBuilder<boolean> {
  return sql`company_id = ${toUuid(companyId)} and webhook_id = ${toUuid(webhookId)}`
}

/** Counts the webhooks of a company. */
async function countWebhooks(client: Queryable, companyId: string) {
  const text = 'select count(*)::integer as count from webhooks where company_id = $1'
  const { rows } = await client.query<{ count: number }>(text, [toUuid(companyId)])
  return rows[0]!.count
}

/** Inserts a new webhook, whose deliveries begin after the head's present position. */
async function insertWebhook({ db, companyId, now }: Transaction, webhook: WebhookLife, secret: Buffer) {
  const { id, version, status, settings } = webhook
  const place = { company_id: toUuid(companyId), webhook_id: toUuid(id) }
  await db
    .insertInto('webhooks')
    .values({ ...place, ...settings, version, revision: 0, status, secret, created_at: now })
    .execute()
  await sql`insert into webhook_progress (company_id, webhook_id, position)
    select company_id, ${place.webhook_id}::uuid, position from heads
    where company_id = ${place.company_id}`.execute(db)
}

/** Stores a changed webhook, and outdates what was read of it. */
async function updateWebhook({ db, companyId, now }: Transaction, webhook: WebhookLife) {
  const { id, version, status, settings, disabledReason } = webhook
  const disabledAt = status === 'disabled' ? sql<string>`coalesce(disabled_at, ${now})` : null
  await db
    .updateTable('webhooks')
    .set({ ...settings, version, status, disabled_reason: disabledReason, disabled_at: disabledAt })
    .set('revision', sql`revision + 1`)
    .where(isWebhook(companyId, id))
    .execute()
}

/** Deletes a webhook. Its deliveries expire with their age. */
async function deleteWebhook({ db, companyId }: Transaction, webhookId: string) {
  await sql`delete from webhook_progress where ${isWebhook(companyId, webhookId)}`.execute(db)
  await sql`delete from webhooks where ${isWebhook(companyId, webhookId)}`.execute(db)
}

/**
 * Makes deliveries go on after a position, at once and as if nothing had failed. Takes the lease away, so that a worker
 * that is delivering does not record its own position over this one.
 */
async function moveProgress({ db, companyId }: Transaction, webhookId: string, position: number) {
  await sql`update webhook_progress set position = ${position},
      ahead = case when position = ${position} then ahead else '{}' end,
      attempts = 0, failing_since = null, due_at = null, error = null, lease_id = null, leased_until = null
    where ${isWebhook(companyId, webhookId)}`.execute(db)
}

/** Whether a lease on a webhook has not been taken away. Locks the webhook's progress. */
async function hasLease({ db, companyId }: Transaction, webhookId: string, leaseId: string) {
  const { rows } = await sql`select 1 from webhook_progress
    where company_id = ${toUuid(companyId)} and webhook_id = ${toUuid(webhookId)} and lease_id = ${leaseId}
    for update`.execute(db)
  return rows.length === 1
}

/** Replaces a webhook's secret. The old one signs too until `previousExpiresAt`, or ends at once if that is null. */
async function replaceWebhookSecret(
  { db, companyId, now }: Transaction,
  webhookId: string,
  sealed: Buffer,
  previousExpiresAt: string | null,
) {
  await sql`update webhooks set secret = ${sealed}, rotated_at = ${now}, previous_expires_at = ${previousExpiresAt},
      previous_secret = ${previousExpiresAt === null ? sql`null` : sql`secret`}
    where ${isWebhook(companyId, webhookId)}`.execute(db)
}

/** Seals a webhook's secret for its row. */
function encryptSecret(secrets: SecretBox, secret: string, webhookId: string) {
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
export function placeOfWebhookSecret(webhookId: string) {
  return `webhook secret of ${webhookId}`
}
