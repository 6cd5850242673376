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
