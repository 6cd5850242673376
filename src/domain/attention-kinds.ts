/** What can need attention, the most urgent first, in words that stand after a colon. docs/attention.md describes each. */
const WORDS = {
  ledger_disputed: 'a witness disputes the ledger',
  ledger_unsigned: 'no checkpoint of the ledger is signed',
  projection_parked: 'a read model has stopped',
  provider_failing: 'nobody can sign in through the identity provider',
  webhook_disabled: 'a webhook was disabled',
  webhook_failing: 'messages of a webhook fail',
  quota_used: 'the quota of a key is used up',
  key_expired: 'a key has expired',
  call_missing: 'a call that was expected did not come',
  calls_failed: 'calls of a key failed',
  records_refused: 'calls of a key left records out',
  work_failing: 'background work of the service fails',
  quota_nearly_used: 'the quota of a key is nearly used up',
  key_expiring: 'a key will expire soon',
  key_unused: 'a key was never used',
}

export type AttentionKind = keyof typeof WORDS

export const ATTENTION_KINDS = Object.keys(WORDS) as AttentionKind[]

/** Whether this version of the program knows a kind. While another version runs, there may be others. */
export function isAttentionKind(kind: string): kind is AttentionKind {
  return Object.hasOwn(WORDS, kind)
}

/** Says what is wrong, in words that stand after a colon; of an unknown kind, its name. */
export function describeKind(kind: string): string {
  return isAttentionKind(kind) ? WORDS[kind] : kind.replaceAll('_', ' ')
}
