import type { FastifyInstance } from 'fastify'
import { Type } from '@sinclair/typebox'
import { readAttention } from '../../accounts/attention/read-attention.ts'
import { ATTENTION_KINDS } from '../../domain/attention-kinds.ts'
import type { LedgerDb } from '../../ledger/tables.ts'
import { userOf } from '../access/authorize-user.ts'
import { NoQuery, oneOf, STRICT, Time, TimeOrNull } from '../openapi/schema-parts.ts'

const Item = Type.Object(
  {
    kind: oneOf(ATTENTION_KINDS, 'What is wrong. More kinds may be added.'),
    subject: Type.Object(
      { id: Type.String(), name: Type.String() },
      { ...STRICT, description: 'The API key, webhook, identity provider, read model, or work that it is about.' },
    ),
    since: TimeOrNull,
    details: Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      additionalProperties: true,
      description:
        'For `calls_failed`: `code`, `calls`, `is_more`, `last_log_id`. For `call_missing`: `expected_by`, `last_call_at`. ' +
        'For `webhook_failing`: `error`. For `webhook_disabled`: `reason`. For `quota_used` and `quota_nearly_used`: ' +
        '`requests_made`, `quota_limit`, `resets_at`. For `key_expiring` and `key_expired`: `expires_at`. For ' +
        '`provider_failing`: `fault`. For `projection_parked`: `position`. For `ledger_disputed`: `fault`, `error`. ' +
        'For `ledger_unsigned`: `error`. For `work_failing`: `work`.',
    }),
  },
  { $id: 'AttentionItem', ...STRICT },
)

const Attention = Type.Object(
  {
    items: Type.Array(Item, { description: 'The most urgent first. Empty if all is well.' }),
    last_call: Type.Unsafe<object | null>({
      anyOf: [
        Type.Object(
          {
            log_id: Type.String(),
            requested_at: Time,
            status: oneOf(['Completed', 'Failed']),
            records: Type.Integer(),
          },
          STRICT,
        ),
        { type: 'null' },
      ],
      description: "The company's last call. Null if it has made none.",
    }),
  },
  { $id: 'Attention', ...STRICT },
)

/** `GET /admin/v1/attention`: what needs the attention of the company's administrators now. */
export function attention(app: FastifyInstance, db: LedgerDb): void {
  app.get(
    '/attention',
    {
      schema: {
        operationId: 'getAttention',
        summary: 'List what needs attention now',
        description:
          'Failed calls since the start of yesterday, calls that did not come, failing and disabled webhooks, quotas that ' +
          'are used up or nearly so, keys that have expired or expire within 14 days, a failing identity provider, parked ' +
          'read models, a ledger that is disputed or not signed, and background work that fails.',
        tags: ['Admin'],
        querystring: NoQuery,
        response: { 200: Attention },
      },
    },
    async (request) => {
      const { items, lastCall } = await readAttention(db, userOf(request).companyId)
      return {
        items,
        last_call: lastCall && {
          log_id: lastCall.logId,
          requested_at: lastCall.requestedAt,
          status: lastCall.status,
          records: lastCall.records,
        },
      }
    },
  )
}
