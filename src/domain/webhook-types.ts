/** The types of the messages that webhooks send. */
export const WEBHOOK_TYPES = [
  'api_call.completed',
  'api_call.failed',
  'employee.created',
  'employee.updated',
  'employee.deactivated',
  'employee.reactivated',
  'employee.erased',
  'api_key.issued',
  'api_key.changed',
  'api_key.rotated',
  'api_key.disabled',
  'api_key.enabled',
  'api_key.revoked',
  'attention.raised',
  'attention.resolved',
] as const
export type WebhookType = (typeof WEBHOOK_TYPES)[number]

/** What a type is about: the part of its name before the point. */
export type WebhookTopic = WebhookType extends `${infer Topic}.${string}` ? Topic : never

/** Whether messages about a topic are about a person, so that a report about the person says who received them. */
const IS_ABOUT_PERSON: Record<WebhookTopic, boolean> = {
  api_call: false,
  employee: true,
  api_key: false,
  attention: false,
}

/** Whether messages of a type are about a person. */
export function isAboutPerson(type: WebhookType): boolean {
  const [topic] = type.split('.') as [WebhookTopic]
  return IS_ABOUT_PERSON[topic]
}

/** The type of the message that an administrator sends as a test. */
export const PING_TYPE = 'webhook.ping'

/** What the secret of a webhook begins with (Standard Webhooks); 24 to 64 bytes in base64 follow. */
export const WEBHOOK_SECRET_PREFIX = 'whsec_'

export type WebhookStatus = 'enabled' | 'paused' | 'disabled'

/** Why the service disabled a webhook: the receiver answered 410 Gone, or refused the same message for three days. */
export type WebhookDisabledReason = 'gone' | 'failing'

/** What an administrator sets for a webhook. */
export interface WebhookSettings {
  url: string
  description: string
  types: WebhookType[]
  /** Whether messages contain values, not only ids and the names of what changed. */
  include_data: boolean
  /** The number of messages that may be under way at once. */
  concurrency: number
}
