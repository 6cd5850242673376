import type { FastifyInstance, FastifySchema } from 'fastify'
import { Type } from '@sinclair/typebox'
import { findLastCall } from '#projections/bulk-user-logs/attention-queries'
import { readAttention, readClockOf } from '#accounts/attention/read-attention'
import type { AttentionItem } from '#domain/attention'
import { ATTENTION_KINDS, describeKind, type AttentionKind } from '#domain/attention-kinds'
import type { LedgerDb } from '#ledger/tables'
import { userOf } from '#http/access/authorize-user'
import { namedObject, nullable, oneOf, strictObject, Time, TimeOrNull, render } from '#http/openapi/schema-parts'

type DetailsOf<Kind extends AttentionKind> = AttentionItem<Kind>['details']

/** What the items of each kind say beside their subject. */
const DETAILS: { [Kind in AttentionKind]: Record<keyof DetailsOf<Kind> & string, true> } = {
  ledger_disputed: { fault: true, error: true },
  ledger_unsigned: { error: true },
  projection_parked: { position: true },
  provider_failing: { fault: true },
  webhook_disabled: { reason: true },
  webhook_failing: { error: true },
  quota_used: { requests_made: true, quota_limit: true, resets_at: true, calls: true, records: true, is_more: true },
  key_limit_reached: { limited: true, wanted: true, done: true, limit: true, active: true, last_log_id: true },
  key_deactivated_many: { deactivations: true, active: true },
  fields_overwritten: { other_key: true, fields: true, people: true, employee_id: true },
  key_expired: { expires_at: true },
  call_missing: { expected_by: true, last_call_at: true },
  calls_turned_away: { reason: true, calls: true, last_at: true, address: true, ended_at: true },
  calls_failed: { code: true, calls: true, records: true, is_more: true, last_log_id: true },
  records_refused: { records: true, total: true, calls: true, is_more: true, last_log_id: true },
  work_failing: { work: true },
  quota_nearly_used: { requests_made: true, quota_limit: true, resets_at: true },
  key_expiring: { expires_at: true },
  key_unused: { created_at: true },
}

function describeKinds(): string {
  return `${ATTENTION_KINDS.map((kind) => `\`${kind}\`: ${describeKind(kind)}`).join('; ')}.`
}

const Item = namedObject('AttentionItem', {
  kind: oneOf(ATTENTION_KINDS, `What is wrong. More kinds may be added. ${describeKinds()}`),
  subject: strictObject(
    { id: Type.String(), name: Type.String() },
    { description: 'The API key, webhook, identity provider, read model, or work that it is about.' },
  ),
  since: TimeOrNull,
  details: Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    additionalProperties: true,
    description: Object.entries(DETAILS)
      .map(
        ([kind, details]) =>
          `For \`${kind}\`: ${Object.keys(details)
            .map((name) => `\`${name}\``)
            .join(', ')}.`,
      )
      .join(' '),
  }),
})

const LastCall = strictObject({
  log_id: Type.String(),
  requested_at: Time,
  status: oneOf(['Completed', 'Failed']),
  records: Type.Integer(),
})

const Attention = namedObject('Attention', {
  items: Type.Array(Item, {
    description:
      'What concerns everything first; then by the records and calls that failed because of it, and the oldest ' +
      'first; then what has cost nothing yet. Empty if all is well.',
  }),
  last_call: nullable(LastCall, { description: "The company's last call. Null if it has made none." }),
})

const GET_ATTENTION = {
  operationId: 'getAttention',
  summary: 'List what needs attention now',
  description:
    'Failed calls since the start of yesterday, calls since then that left records out, calls that did not come, ' +
    'calls with secrets that no longer work, failing and disabled webhooks, quotas that are used up or nearly so, ' +
    'keys that have expired, expire within 14 days, or have made no call in the 30 days since they were issued, keys ' +
    'that were refused for their daily limits or deactivated unusually many people since the start of yesterday, ' +
    'sources that overwrite each other, a failing identity provider, parked read models, ' +
    'a ledger that is disputed or not signed, and background work ' +
    'that fails. Of the keys that need the same, 200 are read, those that expire first.',
  response: { 200: Attention },
} satisfies FastifySchema

/** `GET /admin/v1/attention`: what needs the attention of the company's administrators now. */
export function attention(app: FastifyInstance, db: LedgerDb) {
  app.get('/attention', { schema: GET_ATTENTION }, async (request) => {
    const { companyId } = userOf(request)
    const { items } = await readAttention(db, companyId, await readClockOf(db, companyId))
    const lastCall = await findLastCall(db, companyId)
    return { items, last_call: lastCall && render(LastCall, lastCall) }
  })
}
