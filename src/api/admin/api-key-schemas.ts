import {
  type Limited,
  type PeopleLimit,
  DEFAULT_QUOTA_LIMIT,
  DEFAULT_REFRESH_PERIOD,
  REFRESH_PERIODS,
  requestsInWindow,
  windowEnd,
  windowStart,
  KEY_SCOPES,
  PROVIDER_QUOTA_LIMIT,
  usualQuota,
  type KeyScope,
  type Weekday,
  MAX_EVERY_HOURS,
  normalizeExpectedCalls,
  TIME_OF_DAY,
} from '#domain/accounts/api-key'
import { Type, type Static } from '@sinclair/typebox'
import { ATTRIBUTE_NAMES, type AttributeName } from '#domain/attributes'
import { SHARE_PATTERN } from '#domain/accounts/key-limits'
import {
  DEFAULT_OVERLAP_SECONDS,
  MAX_QUOTA,
  MAX_OVERLAP_SECONDS,
  FULL_ACCESS,
  MAX_NETWORKS,
} from '#domain/accounts/key-lifecycle'
import { MAX_NETWORK_CHARACTERS } from '#domain/networks'
import { findKeyStatus, hasPreviousSecret, KEY_STATUSES, type SeenKey } from '#accounts/api-keys/api-keys'
import {
  LastFour,
  makeListSchema,
  mergePatch,
  Name,
  namedObject,
  nullable,
  oneOf,
  Page,
  requireOnly,
  strictObject,
  Time,
  TimeOrNull,
  withDefault,
  render,
  text,
} from '#http/openapi/schema-parts'

const Status = oneOf(
  KEY_STATUSES,
  'A revoked key stays in the list, but can never be used again. An expired key works again once its expiry is ' +
    'changed.',
)

/** The largest number of people in a limit. */
const MAX_PEOPLE = 10_000_000

const quota = {
  quota_limit: Type.Integer({
    minimum: 0,
    maximum: MAX_QUOTA,
    description: 'The number of calls allowed in each period.',
  }),
  refresh_period: oneOf(
    REFRESH_PERIODS,
    'How often the quota resets. Periods are calendar periods in UTC; weeks start on Monday.',
  ),
}
const access = {
  scopes: Type.Unsafe<KeyScope[]>({
    type: 'array',
    items: { type: 'string', enum: [...KEY_SCOPES] },
    minItems: 1,
    uniqueItems: true,
    description:
      'What calls with the key may do; `scim` is for identity providers, and allows nothing else. Responses to ' +
      'writing calls show the employees that they create or update, whether or not the key may read.',
  }),
  expires_at: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    format: 'date-time',
    description: 'When the key ends. Null if it does not.',
  }),
  allowed_networks: Type.Unsafe<string[] | null>({
    type: ['array', 'null'],
    items: { type: 'string', minLength: 1, maxLength: MAX_NETWORK_CHARACTERS },
    maxItems: MAX_NETWORKS,
    description:
      'The networks from which the key may be used, in CIDR notation (IPv4 or IPv6). Null allows any address. A ' +
      'request may also name single addresses; an empty list is the same as null.',
  }),
  writable_fields: Type.Unsafe<AttributeName[] | null>({
    type: ['array', 'null'],
    items: { type: 'string', enum: [...ATTRIBUTE_NAMES] },
    uniqueItems: true,
    description:
      'The fields of employees that calls with the key may write. Others are accepted and ignored, and the `notes` ' +
      'of the entry tell it. Null is all of them.',
  }),
}
const limitOf = (verb: string) =>
  Type.Unsafe<PeopleLimit | null>({
    anyOf: [
      { type: 'integer', minimum: 0, maximum: MAX_PEOPLE },
      { type: 'string', pattern: SHARE_PATTERN },
      { type: 'null' },
    ],
    description:
      `How many people calls of the key may ${verb} in a UTC day: a number, or a share of the active people, such as ` +
      '`"10%"`. A call beyond it is refused with `limit_reached`. Null for no limit.',
  })
const limits = {
  max_deactivations: limitOf('deactivate'),
  max_changes: limitOf('update, deactivate, or reactivate'),
}
const ExcessNumber = Type.Unsafe<number | null>({ type: ['integer', 'null'], minimum: 1, maximum: MAX_PEOPLE })
const DayOfWeek = Type.Unsafe<Weekday>({ type: 'integer', minimum: 1, maximum: 7 })
const Expected = Type.Union(
  [
    strictObject({ every_hours: Type.Integer({ minimum: 1, maximum: MAX_EVERY_HOURS }) }),
    strictObject({
      by_time: Type.String({ pattern: TIME_OF_DAY }),
      weekdays: Type.Array(DayOfWeek, { minItems: 1, uniqueItems: true }),
    }),
    Type.Null(),
  ],
  {
    description:
      'When writing calls of the key are expected: at least every so many hours, or by a time of day (`06:00`) ' +
      'on some ' +
      "weekdays (1 is Monday, 7 is Sunday), in the company's time zone and after that time of the day before. If " +
      'none comes, the key needs attention. Null expects none.',
  },
)
const Secret = text('The secret, sent as `x-api-key`. It is shown only once.')

const keyFields = {
  id: text('The API id, sent as `x-api-id`.'),
  name: Type.String(),
  secret_last_four: LastFour,
  status: Status,
  ...access,
  ...quota,
  ...limits,
  excess: nullable(strictObject({ max_deactivations: ExcessNumber, max_changes: ExcessNumber, until: Time }), {
    description: 'What an administrator last allowed beyond the limits, and until when. Null if nothing.',
  }),
  usage: Type.Object(
    { requests_made: Type.Integer({ minimum: 0 }), window_start: Time, window_end: Time },
    { description: 'Usage in the current period.' },
  ),
  last_used: TimeOrNull,
  expected_calls: Expected,
  rotation: Type.Object(
    { rotated_at: TimeOrNull, previous_secret_expires_at: TimeOrNull, previous_secret_last_four: LastFour },
    {
      description: 'When the secret was last replaced, and until when the previous secret works. Null if it does not.',
    },
  ),
  created_at: Time,
}

export const ShownKey = namedObject('ApiKey', keyFields)
export const ShownKeyWithSecret = namedObject('ApiKeyWithSecret', { ...keyFields, api_key: Secret })
export const KeyList = makeListSchema(ShownKey)

export const KeyListQuery = strictObject({
  ...Page,
  status: Type.Optional(oneOf(KEY_STATUSES, 'Only keys with this status.')),
})
export const IssueBody = requireOnly(['name'], {
  name: Name,
  quota_limit: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: MAX_QUOTA,
      description:
        `The number of calls allowed in each period: ${DEFAULT_QUOTA_LIMIT} unless given, or ` +
        `${PROVIDER_QUOTA_LIMIT} of a key with the scope \`scim\`.`,
    }),
  ),
  refresh_period: withDefault(quota.refresh_period, DEFAULT_REFRESH_PERIOD),
  scopes: withDefault(access.scopes, [...FULL_ACCESS.scopes]),
  expires_at: withDefault(access.expires_at, null),
  allowed_networks: withDefault(access.allowed_networks, null),
  writable_fields: withDefault(access.writable_fields, null),
  max_deactivations: withDefault(limits.max_deactivations, null),
  max_changes: withDefault(limits.max_changes, null),
})
export const EditBody = mergePatch({
  name: Name,
  ...quota,
  ...access,
  ...limits,
  expected_calls: Expected,
})

/** Turns the body of an edit into the change of a key. Absent fields stay undefined. */
export function readEdit(body: Static<typeof EditBody>) {
  const { name, quota_limit: quotaLimit, refresh_period: refreshPeriod, expected_calls: expected } = body
  const expectedCalls = expected && normalizeExpectedCalls(expected)
  const limits = readLimits(body)
  return { change: 'edit', name, quotaLimit, refreshPeriod, expectedCalls, limits, ...readAccessFields(body) } as const
}

/** Turns the body of a new key into the key that is wanted. */
export function readNewKey(body: Static<typeof IssueBody>) {
  const { name, quota_limit: quotaLimit = usualQuota(body.scopes), refresh_period: refreshPeriod } = body
  return { name, quotaLimit, refreshPeriod, limits: readLimits(body), ...readAccessFields(body) }
}

function readLimits({ max_deactivations, max_changes }: Pick<Static<typeof EditBody>, Limited>) {
  return { max_deactivations, max_changes }
}

function readAccessFields(body: Pick<Static<typeof EditBody>, keyof typeof access>) {
  const { scopes, expires_at: expiresAt, allowed_networks: allowedNetworks, writable_fields: writableFields } = body
  return { scopes, expiresAt, allowedNetworks, writableFields }
}

export const AllowBody = requireOnly([], {
  max_deactivations: withDefault(ExcessNumber, null),
  max_changes: withDefault(ExcessNumber, null),
})

export const RotateBody = requireOnly([], {
  overlap_seconds: Type.Integer({
    minimum: 0,
    maximum: MAX_OVERLAP_SECONDS,
    default: DEFAULT_OVERLAP_SECONDS,
    description: 'How long the current secret keeps working. Any older secret stops immediately.',
  }),
})

/** Renders a key for a response. */
export function renderKey(seen: SeenKey) {
  const { key, now } = seen
  const { usage, refreshPeriod, previousExpiresAt } = key
  const isOverlapping = hasPreviousSecret(seen)
  const nowMs = Date.parse(now)
  return render(ShownKey, {
    ...key,
    maxDeactivations: key.limits.max_deactivations,
    maxChanges: key.limits.max_changes,
    secretLastFour: key.lastFour,
    status: findKeyStatus(seen),
    usage: {
      requests_made: requestsInWindow(usage, refreshPeriod, nowMs),
      window_start: new Date(windowStart(refreshPeriod, nowMs)).toISOString(),
      window_end: new Date(windowEnd(refreshPeriod, nowMs)).toISOString(),
    },
    lastUsed: usage.lastUsedMs === null ? null : new Date(usage.lastUsedMs).toISOString(),
    rotation: {
      rotated_at: key.rotatedAt,
      previous_secret_expires_at: isOverlapping ? previousExpiresAt : null,
      previous_secret_last_four: isOverlapping ? key.previousLastFour : null,
    },
  })
}
