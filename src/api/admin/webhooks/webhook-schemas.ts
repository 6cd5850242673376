import { Type, type Static } from '@sinclair/typebox'
import type { SeenWebhook } from '#accounts/webhooks/read-webhooks'
import { DEFAULT_OVERLAP_SECONDS, MAX_OVERLAP_SECONDS } from '#domain/accounts/key-lifecycle'
import {
  DEFAULT_CONCURRENCY,
  MAX_CONCURRENCY,
  MAX_DESCRIPTION,
  MAX_URL,
  readWebhookSettings,
} from '#domain/webhooks/webhook-lifecycle'
import { mayReach } from '#outgoing/reachable-addresses'
import { WEBHOOK_TYPES, type WebhookSettings, type WebhookType } from '#domain/webhook-types'
import {
  mergePatch,
  namedObject,
  oneOf,
  optionalString,
  requireOnly,
  STRICT,
  strictObject,
  textOrNull,
  Time,
  TimeOrNull,
  withDefault,
  idIn,
  type Action,
  flag,
  count,
  text,
} from '#http/openapi/schema-parts'
import { refuseField } from '#http/server/problem'
import { NO_SUCH_WEBHOOK, type WebhookServices } from '#accounts/webhooks/change-webhook'
import type { LedgerDb } from '#ledger/tables'
import type { SingleDeliveries } from '#delivery/webhooks/single-deliveries'

const Position = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })

const settings = {
  url: Type.String({
    minLength: 1,
    maxLength: MAX_URL,
    description: 'Where messages are sent: an https URL without a user name, password, or fragment.',
  }),
  description: Type.String({
    maxLength: MAX_DESCRIPTION,
    description: 'What the webhook is for. May be empty.',
  }),
  types: Type.Unsafe<WebhookType[]>({
    type: 'array',
    items: { type: 'string', enum: [...WEBHOOK_TYPES] },
    minItems: 1,
    uniqueItems: true,
    description: 'The types of the messages to send.',
  }),
  include_data: flag(
    'Whether messages contain values. By default they contain only ids, positions and the names of what changed, ' +
      'so that no personal data leaves the service.',
  ),
  concurrency: Type.Integer({
    minimum: 1,
    maximum: MAX_CONCURRENCY,
    description:
      'The number of messages that may be under way at once. Those of one employee always follow each other.',
  }),
}

const fields = {
  id: text('The id of the webhook: `whk_…`.'),
  version: Type.Integer({ minimum: 1, description: 'Increases with each change.' }),
  ...settings,
  status: oneOf(
    ['enabled', 'paused', 'disabled'],
    'A disabled webhook was stopped by the service. Resume it when its receiver works again.',
  ),
  disabled: Type.Unsafe<{ reason: 'gone' | 'failing'; at: string } | null>({
    type: ['object', 'null'],
    properties: {
      reason: oneOf(
        ['gone', 'failing'],
        '`gone`: the receiver answered 410. `failing`: it refused the same message for three days.',
      ),
      at: Time,
    },
    required: ['reason', 'at'],
    ...STRICT,
  }),
  position: count("Everything up to this position of the company's ledger has been delivered or needs no delivery."),
  behind: count('The number of events after that position.'),
  failing: Type.Unsafe<object | null>({
    type: ['object', 'null'],
    description: 'Null if the last delivery succeeded.',
    properties: {
      since: Time,
      attempts: count('Failed attempts since then.'),
      next_attempt_at: TimeOrNull,
      reason: textOrNull('Why the last attempt failed.'),
    },
    required: ['since', 'attempts', 'next_attempt_at', 'reason'],
    ...STRICT,
  }),
  created_at: Time,
  secret_rotated_at: TimeOrNull,
  previous_secret_expires_at: {
    ...TimeOrNull,
    description: 'Until when messages are signed with the previous secret as well. Null if they are not.',
  },
}

export const ShownWebhook = namedObject('Webhook', fields)
export const ShownWebhookWithSecret = namedObject('WebhookWithSecret', {
  ...fields,
  secret: text('Signs messages, as Standard Webhooks specifies: `whsec_…`. Shown only once.'),
})
/** A company has few webhooks, so the list has one page. */
export const WebhookList = Type.Object({ items: Type.Array(ShownWebhook, { description: 'Oldest first.' }) })

export const CreateWebhookBody = requireOnly(['url'], {
  url: settings.url,
  description: withDefault(settings.description, ''),
  types: withDefault(settings.types, [...WEBHOOK_TYPES]),
  include_data: withDefault(settings.include_data, false),
  concurrency: withDefault(settings.concurrency, DEFAULT_CONCURRENCY),
})
export const EditWebhookBody = mergePatch(settings)
export const ResumeBody = strictObject(
  {
    after: Type.Optional({ ...Position, description: 'Send the events after this position.' }),
    since: optionalString({
      format: 'date-time',
      description: 'Send the events recorded at or after this time (RFC 3339).',
    }),
  },
  {
    description:
      'Without `after` and `since`, deliveries go on where they stopped. An earlier place sends messages again, ' +
      'a later one skips some. Give at most one of them.',
  },
)
export const RotateWebhookBody = requireOnly([], {
  overlap_seconds: Type.Integer({
    minimum: 0,
    maximum: MAX_OVERLAP_SECONDS,
    default: DEFAULT_OVERLAP_SECONDS,
    description: 'How long messages are signed with the current secret as well. Any older secret stops immediately.',
  }),
})

/** Brings settings into the form in which they are stored. Throws a problem at the URL if it cannot be used. */
export function readSettings<Given extends Partial<WebhookSettings>>(given: Given, allowsHttp: boolean): Given {
  const { settings: read, error } = readWebhookSettings(given, { allowsHttp, mayReach })
  if (!error) return read
  throw refuseField('/url', `url ${error.message}`, error.code)
}

/** Renders a webhook for a response. */
export function renderWebhook({ webhook, now }: SeenWebhook): Static<typeof ShownWebhook> {
  const { progress, disabledReason: reason, disabledAt: at, previousExpiresAt: previous } = webhook
  const { position, head, failingSince: since, attempts, dueAt, error } = progress
  return {
    id: webhook.id,
    version: webhook.version,
    ...webhook.settings,
    status: webhook.status,
    disabled: reason === null ? null : { reason, at: at! },
    position,
    behind: head - position,
    failing: since === null ? null : { since, attempts, next_attempt_at: dueAt, reason: error },
    created_at: webhook.createdAt,
    secret_rotated_at: webhook.rotatedAt,
    previous_secret_expires_at: previous !== null && previous > now ? previous : null,
  }
}

/* Shared by the routes of webhooks. */

/** What the routes and the pages of webhooks use. */
export interface WebhookRouteServices {
  db: LedgerDb
  webhooks: WebhookServices & {
    /** Whether a webhook may use http, for development. */
    allowsHttp: boolean
  }
  singleDeliveries: SingleDeliveries
}

/** The id of a webhook in a path. */
export const {
  schema: ofWebhook,
  read: readWebhookId,
  require: requireWebhook,
} = idIn('webhook', 'whk', NO_SUCH_WEBHOOK)

/** What can be done with a webhook, besides editing and rotation. */
export const WEBHOOK_ACTIONS = {
  pause: {
    operationId: 'pauseWebhook',
    summary: 'Pause deliveries until the webhook is resumed',
    description: 'Resumed deliveries go on where they stopped, so that no event is skipped.',
    problems: ['webhook_not_found'],
    button: 'Pause',
    question: 'Messages wait until you resume the webhook.',
    done: 'paused',
    notice: 'Webhook paused. Messages wait until you resume it.',
  },
  resume: {
    operationId: 'resumeWebhook',
    summary: 'Resume or replay deliveries',
    description: 'Also works on an enabled webhook, to send messages again.',
    problems: ['webhook_not_found'],
    button: 'Resume',
    done: 'resumed',
    notice: 'Webhook resumed. Messages that waited are being sent.',
  },
} as const satisfies Record<string, Action>
