import { rotationOf } from '#domain/accounts/key-lifecycle'
import { findChangedSettings } from '#domain/changed-settings'
import type { NewEvent } from '#domain/events'
import {
  type WebhookDisabledReason,
  type WebhookSettings,
  type WebhookStatus,
  WEBHOOK_TYPES,
} from '#domain/webhook-types'
import { isIP } from 'node:net'
import type { RecordErrorCode } from '#domain/errors'

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

/** What is wrong with the address of a webhook. The message follows the name of the setting. */
interface UrlError {
  code: RecordErrorCode
  message: string
}

/** Settings in the form in which they are stored, or what is wrong with their address. */
type ReadSettings<Given> = { settings: Given; error?: never } | { settings?: never; error: UrlError }

/**
 * Reads settings whose types and lengths have been checked. The address becomes exactly what is called, and the types
 * get their order, so that two ways to write the same settings are no change. `allowsHttp` is for development; `mayReach`
 * knows the addresses that are never called.
 */
export function readWebhookSettings<Given extends Partial<WebhookSettings>>(
  given: Given,
  { allowsHttp, mayReach }: { allowsHttp: boolean; mayReach: (address: string, allowsPrivate: boolean) => boolean },
): ReadSettings<Given> {
  const settings = { ...given }
  if (given.types !== undefined) settings.types = WEBHOOK_TYPES.filter((type) => given.types!.includes(type))
  if (given.url === undefined) return { settings }
  const { url, error } = readUrl(given.url, allowsHttp)
  if (error) return { error }
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '')
  // Where a name leads is known when a message is sent.
  if (isIP(host) !== 0 && !mayReach(host, allowsHttp))
    return { error: { code: 'invalid_value', message: `must not lead to ${host}, which messages cannot reach` } }
  return { settings: { ...settings, url } }
}

function readUrl(text: string, allowsHttp: boolean): { url: string; error?: never } | { url?: never; error: UrlError } {
  const refuse = (code: RecordErrorCode, message: string) => ({ error: { code, message } })
  // The parser would drop white space and control characters in silence.
  const url = /[\s\p{Cc}]/u.test(text) ? null : URL.parse(text)
  if (!url) return refuse('invalid_format', 'must be a URL, such as https://example.com/hooks')
  if (url.protocol !== 'https:' && !(allowsHttp && url.protocol === 'http:'))
    return refuse('invalid_value', 'must start with https://; http:// is for development, with OUTGOING_PRIVATE=1')
  if (url.username !== '' || url.password !== '')
    return refuse('invalid_value', 'must not contain a user name or password')
  if (url.href.includes('#')) return refuse('invalid_value', 'must not contain a fragment (#)')
  // Encoding makes some characters longer.
  if (url.href.length > MAX_URL) return refuse('too_long', `must have at most ${MAX_URL} characters`)
  return { url: url.href }
}
