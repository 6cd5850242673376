import type { AttentionKind } from './attention-kinds.ts'

/** What is wrong, in words that stand after a colon. */
export const ATTENTION_WORDS: Readonly<Record<AttentionKind, string>> = {
  ledger_disputed: 'a witness disputes the ledger',
  projection_parked: 'a read model has stopped',
  provider_failing: 'nobody can sign in through the identity provider',
  webhook_disabled: 'a webhook was disabled',
  webhook_failing: 'messages of a webhook fail',
  quota_used: 'the quota of a key is used up',
  key_expired: 'a key has expired',
  call_missing: 'a call that was expected did not come',
  calls_failed: 'calls of a key failed',
  quota_nearly_used: 'the quota of a key is nearly used up',
  key_expiring: 'a key will expire soon',
}
