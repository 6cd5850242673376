import type { FastifyInstance, FastifySchema } from 'fastify'
import { Type } from '@sinclair/typebox'
import { addressRefusal } from '#domain/calls/key-refusals'
import { rateLimitHeaders, REFRESH_PERIODS, requestsInWindow } from '#domain/accounts/api-key'
import type { KeyUsageCounter } from '#accounts/api-keys/key-access'
import { KEY_VERIFICATION } from '#http/openapi/employee-examples'
import { namedObject, oneOf, text, jsonAnswer } from '#http/openapi/schema-parts'
import { useKeyOf } from '#http/access/quota'

/** The six fields of the specification, section 2.3. */
const KeyVerification = namedObject('KeyVerification', {
  company_name: text('The company that owns the key.'),
  last_used: Type.String({ format: 'date-time', description: 'The most recent call with this key before this one.' }),
  is_enabled: Type.Boolean(),
  quota_limit: Type.Integer({ description: 'The number of requests allowed in each period.' }),
  requests_made: Type.Integer({ description: 'The number of requests made in the current period.' }),
  refresh_period: oneOf(
    REFRESH_PERIODS,
    'The quota period: a calendar hour, day, week (from Monday) or month, in UTC.',
  ),
})

const verifySchema = {
  operationId: 'verifyKey',
  summary: 'Verify an API key',
  description:
    'Costs no quota, needs no scope, and works with an exhausted quota or a disabled key. A key with allowed ' +
    'networks can only be verified from there.',
  response: {
    200: jsonAnswer('The state and usage of the key.', KeyVerification, { examples: KEY_VERIFICATION }),
  },
  problems: ['address_not_allowed'],
} satisfies FastifySchema

/** `GET /v1/auth/verify`: costs no quota, and answers for a disabled key and whatever the key's scopes are. */
export function verifyKey(app: FastifyInstance, keyUsage: KeyUsageCounter) {
  app.get('/auth/verify', { schema: verifySchema, config: { checksKeyItself: true } }, async (request, reply) => {
    const { key, companyName, before, after, nowMs } = await useKeyOf(request, keyUsage, 0, addressRefusal)
    void reply.headers(rateLimitHeaders(key, after, nowMs))
    return {
      company_name: companyName,
      // The call before this one; a key that was never used before was last used now.
      last_used: new Date(before.lastUsedMs ?? nowMs).toISOString(),
      is_enabled: key.isEnabled,
      quota_limit: key.quotaLimit,
      requests_made: requestsInWindow(before, key.refreshPeriod, nowMs),
      refresh_period: key.refreshPeriod,
    }
  })
}
