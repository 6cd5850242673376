/** What can need attention, the most urgent first. docs/attention.md describes each. */
export const ATTENTION_KINDS = [
  'ledger_disputed',
  'projection_parked',
  'provider_failing',
  'webhook_disabled',
  'webhook_failing',
  'quota_used',
  'key_expired',
  'call_missing',
  'calls_failed',
  'quota_nearly_used',
  'key_expiring',
] as const

export type AttentionKind = (typeof ATTENTION_KINDS)[number]
