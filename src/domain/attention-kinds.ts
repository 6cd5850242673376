/* What can need attention (docs/attention.md), in words that stand after a name and a colon. */

/** What concerns all that a company does: it comes first, whatever else costs. */
const OF_ALL = {
  ledger_disputed: 'a witness disputes the ledger',
  ledger_unsigned: 'no checkpoint of the ledger is signed',
  projection_parked: 'a list has stopped',
  provider_failing: 'nobody can sign in through the identity provider',
}
/** What comes by its cost. */
const BY_COST = {
  webhook_disabled: 'the webhook was disabled',
  webhook_failing: 'messages of the webhook fail',
  quota_used: 'the quota is used up',
  key_limit_reached: 'a call was beyond the daily limits of the key',
  key_deactivated_many: 'the key deactivated unusually many people',
  fields_overwritten: 'the key and another source overwrite each other',
  key_expired: 'the key has expired',
  call_missing: 'an expected call did not come',
  calls_turned_away: 'calls came with a secret that no longer works',
  calls_failed: 'calls failed',
  records_refused: 'calls left records out',
  work_failing: 'background work of the service fails',
}
/** What has cost nothing yet: it comes last. */
const AHEAD = {
  quota_nearly_used: 'the quota is nearly used up',
  key_expiring: 'the key will expire soon',
  key_unused: 'the key was never used',
}
const WORDS = { ...OF_ALL, ...BY_COST, ...AHEAD }

export type AttentionKind = keyof typeof WORDS

/** How early a kind stands among others that are ordered by their cost: the least first. */
export function rankOf(kind: AttentionKind): number {
  if (Object.hasOwn(OF_ALL, kind)) return 0
  return Object.hasOwn(AHEAD, kind) ? 2 : 1
}

export const ATTENTION_KINDS = Object.keys(WORDS) as AttentionKind[]

/** Whether this version of the program knows a kind. While another version runs, there may be others. */
export function isAttentionKind(kind: string): kind is AttentionKind {
  return Object.hasOwn(WORDS, kind)
}

/** Says what is wrong, in words that stand after a colon; of an unknown kind, its name. */
export function describeKind(kind: string): string {
  return isAttentionKind(kind) ? WORDS[kind] : kind.replaceAll('_', ' ')
}

/*
 * Work that the service does in the background, for a company or, as scheduled jobs, for all of them. Nobody waits for
 * its outcome, so it is kept on record while it fails.
 */

/** What the service can't do while the work fails, in words that stand after "can't". */
export const BACKGROUND_WORK = {
  signing: 'sign checkpoints',
  checkpoints: 'store checkpoints outside the database',
  witnesses: 'send checkpoints to a witness',
  uploads: 'continue an uploaded file',
  emails: 'send email',
  attention: 'check what needs attention',
  'sign-ins': 'record sign-ins in the ledger',
  webhooks: 'prepare the messages of a webhook',
  retention: 'delete old refused records',
  jobs: 'run a scheduled job',
} as const

export type BackgroundWork = keyof typeof BACKGROUND_WORK
