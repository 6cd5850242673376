import { randomBytes } from 'node:crypto'
import type { Pool, PoolClient } from 'pg'
import { problem, type Problem } from '../../domain/errors.ts'
import type { WebhookChange, WebhookLife } from '../../domain/webhooks/webhook-lifecycle.ts'
import {
  decideWebhook,
  decideWebhookChange,
  evolveWebhook,
  MAX_WEBHOOKS,
} from '../../domain/webhooks/webhook-lifecycle.ts'
import { WEBHOOK_SECRET_PREFIX, type WebhookDisabledReason, type WebhookSettings } from '../../domain/webhook-types.ts'
import { appendCompanyEvents, SCHEDULE, type CompanyChange } from '../../ledger/append/append-company-events.ts'
import type { SecretBox } from '../secrets/secret-box.ts'
import type { Acting, CompanyServices } from '../change-company.ts'
import { assertHasKey, assertSeen, changeCompany, RefusedByStateError } from '../change-company.ts'
import { onClient } from '../../postgres/kysely.ts'
import { findWebhook, type SeenWebhook } from './read-webhooks.ts'
import {
  countWebhooks,
  deleteWebhook,
  hasLease,
  insertWebhook,
  moveProgress,
  replaceWebhookSecret,
  encryptSecret,
  updateWebhook,
} from './webhook-rows.ts'

export const NO_SUCH_WEBHOOK = problem('webhook_not_found', 'No such webhook exists')
const CHANGED = 'The webhook has changed since you opened this page. Nothing was done; check it, then try again'
const CREATED_MEANWHILE =
  'A webhook has been created since you opened this form. If it is this one, rotate it to get a new secret; if not, submit again'
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
  const { companyId } = acting
  const id = services.newId('whk')
  const secret = generateWebhookSecret()
  const { result, position } = await changeCompany(services, acting, 'admin', async (client, now) => {
    const count = await countWebhooks(client, companyId)
    assertSeen(seen, count, CREATED_MEANWHILE)
    if (count >= MAX_WEBHOOKS) throw new RefusedByStateError(TOO_MANY)
    const created = decideWebhook(id, settings)
    const webhook = evolveWebhook({ id, version: 0, settings, status: 'enabled', disabledReason: null }, created)
    await insertWebhook(client, companyId, webhook, encryptSecret(services.secrets, secret, id), now)
    return { events: [created], result: (await findWebhook(onClient(client), companyId, id))! }
  })
  return { ...withHead(result, position), secret }
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
  const { result, position } = await changeCompany(services, acting, 'admin', (client, now) =>
    changeRows(client, acting.companyId, webhookId, { ...change, seen }, now),
  )
  return withHead(result, position)
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
  const { companyId } = acting
  const secret = generateWebhookSecret()
  const { result, position } = await changeCompany(services, acting, 'admin', async (client, now) => {
    const change = { change: 'rotate', overlapSeconds, seen } as const
    const { events } = await changeRows(client, companyId, webhookId, change, now)
    const [rotated] = events
    const previousExpiresAt = rotated?.type === 'WebhookSecretRotated' ? rotated.data.previous_expires_at : null
    const sealed = encryptSecret(services.secrets, secret, webhookId)
    await replaceWebhookSecret(client, companyId, webhookId, { sealed, previousExpiresAt, now })
    return { events, result: (await findWebhook(onClient(client), companyId, webhookId))! }
  })
  return { ...withHead(result, position), secret }
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
  await appendCompanyEvents(pool, { companyId, actor: SCHEDULE }, async (client, now) => {
    if (!(await hasLease(client, companyId, webhookId, leaseId))) return { events: [], result: null }
    const change = { change: 'disable', reason, seen: undefined } as const
    const { events } = await changeRows(client, companyId, webhookId, change, now)
    return { events, result: null }
  })
}

async function changeRows(
  client: PoolClient,
  companyId: string,
  webhookId: string,
  change: WebhookChange & { seen: number | undefined },
  now: string,
): Promise<CompanyChange<SeenWebhook>> {
  const found = await findWebhook(onClient(client), companyId, webhookId)
  if (!found) throw new RefusedByStateError(NO_SUCH_WEBHOOK)
  const { webhook: stored } = found
  assertSeen(change.seen, stored.version, CHANGED)
  const { position, head } = stored.progress
  if (change.change === 'resume' && (change.position ?? 0) > head) throw new RefusedByStateError(refuseBeyond(head))
  const events = decideWebhookChange(stored, change, { now, position, isFailing: stored.progress.attempts > 0 })
  if (events.length === 0) return { events, result: found }
  const changed = events.reduce<WebhookLife>(evolveWebhook, stored)
  if (change.change === 'remove') {
    await deleteWebhook(client, companyId, webhookId)
    return { events, result: { ...found, webhook: { ...stored, ...changed } } }
  }
  await updateWebhook(client, companyId, changed, now)
  for (const event of events) {
    if (event.type === 'WebhookResumed') await moveProgress(client, companyId, webhookId, event.data.position)
    // What failed at the old address says nothing about the new one.
    else if (event.type === 'WebhookChanged' && event.data.to.url !== undefined)
      await moveProgress(client, companyId, webhookId, position)
  }
  return { events, result: (await findWebhook(onClient(client), companyId, webhookId))! }
}

/** A webhook is loaded before the event of its change is appended. */
function withHead({ webhook, now }: SeenWebhook, position: number | null): ChangedWebhook {
  const progress = { ...webhook.progress, head: position ?? webhook.progress.head }
  return { webhook: { ...webhook, progress }, now, position }
}

function refuseBeyond(head: number): Problem {
  const message = `after must be at most ${head}, the last position of the ledger`
  const error = { index: 0, id: null, pointer: '/after', code: 'invalid_value', message } as const
  return problem('validation_failed', `The last position of the ledger is ${head}`, [error])
}

function generateWebhookSecret(): string {
  return `${WEBHOOK_SECRET_PREFIX}${randomBytes(SECRET_BYTES).toString('base64')}`
}
