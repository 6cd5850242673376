import { rotationOf } from '../accounts/key-lifecycle.ts'
import { findChangedSettings } from '../changed-settings.ts'
import type { NewEvent } from '../events.ts'
import type { WebhookDisabledReason, WebhookSettings, WebhookStatus } from '../webhook-types.ts'

/** The state of a webhook that follows from its events. Excludes its secrets and its progress. */
export interface WebhookLife {
  id: string
  version: number
  settings: WebhookSettings
  status: WebhookStatus
  /** Set while the status is `disabled`. */
  disabledReason: WebhookDisabledReason | null
}

export type WebhookEvent = Extract<NewEvent, { type: `Webhook${string}` }>

/** A change of a webhook. An edit leaves absent settings unchanged. */
export type WebhookChange =
  | { change: 'edit'; settings: Partial<WebhookSettings> }
  | { change: 'rotate'; overlapSeconds: number }
  | { change: 'pause' }
  /** Goes on at once, even if it was failing. With `position`, after it: an earlier one replays, a later one skips. */
  | { change: 'resume'; position?: number }
  | { change: 'disable'; reason: WebhookDisabledReason }
  | { change: 'remove' }

export const MAX_CONCURRENCY = 16
export const DEFAULT_CONCURRENCY = 4
/** The number of webhooks that a company may have. */
export const MAX_WEBHOOKS = 20
export const MAX_URL = 2_048
export const MAX_DESCRIPTION = 200

/** Creates a webhook: the first event of its stream. */
export function decideWebhook(id: string, settings: WebhookSettings): WebhookEvent {
  return { type: 'WebhookCreated', stream: id, version: 1, index: null, data: settings }
}

/**
 * Decides a change of a webhook that has reached `position`, and whose last attempt failed if it is failing. `now` is
 * RFC 3339 UTC. Returns no events if nothing changes.
 */
export function decideWebhookChange(
  webhook: WebhookLife,
  change: WebhookChange,
  { now, position, isFailing }: { now: string; position: number; isFailing: boolean },
): WebhookEvent[] {
  const { status } = webhook
  const place = { stream: webhook.id, version: webhook.version + 1, index: null }
  switch (change.change) {
    case 'edit': {
      const data = findChangedSettings(webhook.settings, change.settings)
      return data ? [{ ...place, type: 'WebhookChanged', data }] : []
    }
    case 'rotate':
      return [{ ...place, type: 'WebhookSecretRotated', data: rotationOf(change.overlapSeconds, now) }]
    case 'pause':
      return status === 'paused' ? [] : [{ ...place, type: 'WebhookPaused', data: {} }]
    case 'resume': {
      if (status === 'enabled' && change.position === undefined && !isFailing) return []
      return [{ ...place, type: 'WebhookResumed', data: { position: change.position ?? position } }]
    }
    case 'disable':
      if (status !== 'enabled') return []
      return [{ ...place, type: 'WebhookDisabled', data: { reason: change.reason, position } }]
    case 'remove':
      return [{ ...place, type: 'WebhookRemoved', data: {} }]
  }
}

/** Applies an event to a webhook. */
export function evolveWebhook(webhook: WebhookLife, event: WebhookEvent): WebhookLife {
  const next = { ...webhook, version: event.version }
  switch (event.type) {
    case 'WebhookCreated':
      return { ...next, settings: event.data, status: 'enabled', disabledReason: null }
    case 'WebhookChanged':
      return { ...next, settings: { ...webhook.settings, ...event.data.to } }
    case 'WebhookSecretRotated':
      return next
    case 'WebhookPaused':
      return { ...next, status: 'paused', disabledReason: null }
    case 'WebhookResumed':
      return { ...next, status: 'enabled', disabledReason: null }
    case 'WebhookDisabled':
      return { ...next, status: 'disabled', disabledReason: event.data.reason }
    case 'WebhookRemoved':
      return next
  }
}
