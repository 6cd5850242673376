import { Type } from '@sinclair/typebox'
import {
  DEFAULT_QUOTA_LIMIT,
  DEFAULT_REFRESH_PERIOD,
  REFRESH_PERIODS,
  requestsInWindow,
  windowEnd,
  windowStart,
} from '../../domain/company.ts'
import { DEFAULT_OVERLAP_SECONDS, LARGEST_QUOTA, MAX_OVERLAP_SECONDS } from '../../domain/accounts/key-lifecycle.ts'
import type { KeyStatus, SeenKey } from '../../accounts/api-keys/read-api-keys.ts'
import { makeListSchema, Name, oneOf, Page, STRICT, Time, TimeOrNull } from '../openapi/schema-parts.ts'

export const KEY_STATUSES: readonly KeyStatus[] = ['active', 'disabled', 'revoked']

const Status = oneOf(KEY_STATUSES, 'A revoked key stays in the list, but can never be used again.')
const QuotaLimit = { minimum: 0, maximum: LARGEST_QUOTA, description: 'The number of calls allowed in each period.' }
const Period = oneOf(
  REFRESH_PERIODS,
  'How often the quota resets. Periods are calendar periods in UTC; weeks start on Monday.',
)
const Secret = Type.String({
  description: 'The secret, sent as `x-api-key`. It is shown only once.',
})

const keyFields = {
  id: Type.String({ description: 'The API id, sent as `x-api-id`.' }),
  name: Type.String(),
  status: Status,
  quota_limit: Type.Integer(QuotaLimit),
  refresh_period: Period,
  usage: Type.Object(
    { requests_made: Type.Integer({ minimum: 0 }), window_start: Time, window_end: Time },
    { description: 'Usage in the current period.' },
  ),
  last_used: TimeOrNull,
  rotation: Type.Object(
    { rotated_at: TimeOrNull, previous_secret_expires_at: TimeOrNull },
    {
      description: 'When the secret was last replaced, and until when the previous secret works. Null if it does not.',
    },
  ),
  created_at: Time,
}

export const ShownKey = Type.Object(keyFields, { $id: 'ApiKey', ...STRICT })
export const ShownKeyWithSecret = Type.Object({ ...keyFields, api_key: Secret }, { $id: 'ApiKeyWithSecret', ...STRICT })
export const KeyList = makeListSchema(ShownKey)

export const KeyListQuery = Type.Object({ ...Page, status: Type.Optional(oneOf(KEY_STATUSES)) }, STRICT)
export const IssueBody = Type.Object(
  {
    name: Name,
    quota_limit: Type.Integer({ ...QuotaLimit, default: DEFAULT_QUOTA_LIMIT }),
    refresh_period: Type.Unsafe<(typeof REFRESH_PERIODS)[number]>({ ...Period, default: DEFAULT_REFRESH_PERIOD }),
  },
  // Fields with a default are optional.
  { ...STRICT, required: ['name'] },
)
export const EditBody = Type.Partial(
  Type.Object({ name: Name, quota_limit: Type.Integer(QuotaLimit), refresh_period: Period }),
  { ...STRICT, description: 'A JSON Merge Patch: absent fields keep their value.' },
)
export const RotateBody = Type.Object(
  {
    overlap_seconds: Type.Integer({
      minimum: 0,
      maximum: MAX_OVERLAP_SECONDS,
      default: DEFAULT_OVERLAP_SECONDS,
      description: 'How long the current secret keeps working. Any older secret stops immediately.',
    }),
  },
  { ...STRICT, required: [] },
)

/** Renders a key for a response. */
export function renderKey({ key, now }: SeenKey) {
  const { usage, refreshPeriod, previousExpiresAt } = key
  const nowMs = Date.parse(now)
  return {
    id: key.id,
    name: key.name,
    status: getKeyStatus(key),
    quota_limit: key.quotaLimit,
    refresh_period: refreshPeriod,
    usage: {
      requests_made: requestsInWindow(usage, refreshPeriod, nowMs),
      window_start: new Date(windowStart(refreshPeriod, nowMs)).toISOString(),
      window_end: new Date(windowEnd(refreshPeriod, nowMs)).toISOString(),
    },
    last_used: usage.lastUsedMs === null ? null : new Date(usage.lastUsedMs).toISOString(),
    rotation: {
      rotated_at: key.rotatedAt,
      previous_secret_expires_at: previousExpiresAt !== null && previousExpiresAt > now ? previousExpiresAt : null,
    },
    created_at: key.createdAt,
  }
}

/** Returns the status of a key. */
export function getKeyStatus({ isEnabled, isRevoked }: SeenKey['key']): KeyStatus {
  if (isRevoked) return 'revoked'
  return isEnabled ? 'active' : 'disabled'
}
