import { randomUUID } from 'node:crypto'
import type { Pool } from 'pg'
import type { Logger } from 'pino'
import { clearFailingWork, recordFailingWork } from '#ledger/background/failing-work'
import { UnreadableSecretError, type SecretBox } from '#accounts/secrets/secret-box'
import { type EmailContent, renderEmail, type EmailKind } from '#accounts/mail/email'
import { decryptContent, endOverdueEmails } from '#accounts/mail/outbox'
import { chooseDelay, MAIL_BACKOFF } from '#delivery/backoff'
import type { MailServer } from './mail-server.ts'
import { openSmtpSession, SmtpError, type SendOutcome, type SmtpSession, type SmtpTimeouts } from './smtp.ts'
import { startTurns, type CompanyTurns } from '#workers/company-turns'
import { SEND_EMAILS, type PgBoss } from '#workers/queues'
import type { DueWork } from '#workers/watch-standstill'
import { fromUuid, toUuid } from '#domain/ids'

export interface SendingServices {
  pool: Pool
  secrets: SecretBox
  server: MailServer
  /** The address of the service. */
  publicUrl: string
  log: Logger
  /** Default: those of the program. */
  timeouts?: SmtpTimeouts
  /** Called with what came of each attempt. */
  onAttempt?(outcome: SendOutcome['outcome']): void
}

/**
 * Sends the next message of a company and records what came of it. Returns false if there is none. `signal` closes the
 * connection: a message that the server cannot have accepted yet is tried again, and of any other the outcome is unknown.
 */
export async function sendNextEmail(
  services: SendingServices,
  companyId: string,
  signal: AbortSignal,
): Promise<boolean> {
  const { pool, log, onAttempt } = services
  const email = await claimEmail(pool, companyId, randomUUID())
  if (!email) return false
  const result = await trySending(services, email, signal)
  if (result === null) return true
  onAttempt?.(result.outcome)
  const work = { companyId, work: 'emails' } as const
  const { emailId, kind, attempts } = email
  if (result.outcome === 'sent') {
    await endEmail(pool, email, { state: 'sent', error: null })
    await clearFailingWork(pool, work)
    return true
  }
  const { outcome, reason } = result
  log.warn({ companyId, emailId, kind, attempts, outcome, reason }, 'could not send a message')
  if (outcome === 'retry') {
    await postponeEmail(pool, email, { error: reason, delayMs: chooseDelay(MAIL_BACKOFF, attempts, Math.random()) })
    // What a mail server says may contain the address.
    await recordFailingWork(pool, work, 'a message was not accepted; its row in the table emails says why')
  } else await endEmail(pool, email, { state: outcome === 'unknown' ? 'unknown' : 'failed', error: reason })
  return true
}

/** Null if the message may not be sent any more. */
async function trySending(
  services: SendingServices,
  email: ClaimedEmail,
  signal: AbortSignal,
): Promise<SendOutcome | null> {
  const { pool, secrets, server, publicUrl, timeouts, log } = services
  let content: EmailContent
  let session: SmtpSession
  try {
    content = decryptContent(secrets, email.content, email.emailId)
    session = await openSmtpSession(server, { signal, ...(timeouts ? { timeouts } : {}) })
  } catch (error) {
    if (error instanceof SmtpError) return { outcome: 'retry', reason: error.message }
    if (!(error instanceof UnreadableSecretError)) throw error
    log.error({ err: error }, 'could not read a message: check SECRETS_KEY')
    return { outcome: 'retry', reason: 'The service cannot read this message' }
  }
  try {
    if (!(await markSending(pool, email))) return null
    return await session.send({ ...(await renderEmail(content, publicUrl)), id: email.emailId, to: email.to })
  } finally {
    session.close()
  }
}

interface SendingOptions extends SendingServices {
  boss: PgBoss
  /** Milliseconds between two searches for messages that no job announced, or whose next attempt is due. */
  sweepIntervalMs: number
}

/** Messages at once, each of another company. */
const AT_ONCE = 8

/** Starts sending messages. Companies take turns, one message each. */
export function startSending(options: SendingOptions): Promise<CompanyTurns> {
  return startTurns({
    ...options,
    queue: SEND_EMAILS,
    what: 'send messages',
    atOnce: AT_ONCE,
    async listDue(pool) {
      await endOverdueEmails(pool)
      return listCompaniesWithMail(pool)
    },
    takeTurn: (companyId, { cutOff }) => sendNextEmail(options, companyId, cutOff),
  })
}

/** A message by its ids. */
interface EmailRef {
  companyId: string
  /** A UUID. */
  emailId: string
}

/** A message that this process may send. */
interface ClaimedEmail extends EmailRef {
  leaseId: string
  kind: EmailKind
  /** The address of its user now. */
  to: string
  content: Buffer
  /** How often it has been tried, this time included. */
  attempts: number
}

/** Seconds for which a message is claimed; sending one takes less. */
const LEASE_SECONDS = 180
const COMPANIES_LISTED = 1_000

const IS_DUE = `e.state = 'waiting' and e.due_at <= statement_timestamp() and e.give_up_at > statement_timestamp()
  and (e.leased_until is null or e.leased_until <= statement_timestamp())`

/** Lists companies that have messages to send now: those that have waited longest first. */
export async function listCompaniesWithMail(pool: Pool): Promise<string[]> {
  return (await listWaitingMail(pool)).map(({ companyId }) => companyId!)
}

/** Lists companies whose message that has waited longest is due; the trace changes with every attempt. */
export async function listWaitingMail(pool: Pool): Promise<DueWork[]> {
  const { rows } = await pool.query<{ company_id: string; trace: string }>(
    `select e.company_id, (array_agg(e.email_id || ' ' || e.attempts order by e.due_at, e.email_id))[1] as trace
     from emails e where ${IS_DUE} group by e.company_id order by min(e.due_at) limit ${COMPANIES_LISTED}`,
  )
  return rows.map((row) => ({
    companyId: fromUuid('com', row.company_id),
    work: 'emails',
    subject: '',
    trace: row.trace,
  }))
}

type WaitingEmail = Omit<ClaimedEmail, 'companyId' | 'leaseId'>

/** Claims the company's message that has been due for longest; null if none is left to this process. */
export async function claimEmail(pool: Pool, companyId: string, leaseId: string): Promise<ClaimedEmail | null> {
  for (;;) {
    const { rows } = await pool.query<WaitingEmail>(
      `select e.email_id as "emailId", e.kind, e.content, e.attempts, u.email as "to" from emails e
         join users u on u.company_id = e.company_id and u.user_id = e.user_id
       where e.company_id = $1 and e.content is not null and u.removed_at is null and ${IS_DUE}
       order by e.due_at, e.email_id limit 1`,
      [toUuid(companyId)],
    )
    const [row] = rows
    if (!row) return null
    const { rowCount } = await pool.query(
      `update emails e set lease_id = $3, leased_until = statement_timestamp() + interval '${LEASE_SECONDS} seconds',
         attempts = attempts + 1
       where e.company_id = $1 and e.email_id = $2 and ${IS_DUE}`,
      [toUuid(companyId), row.emailId, leaseId],
    )
    // Otherwise, another process was faster.
    if (rowCount === 1) return { ...row, companyId, leaseId, attempts: row.attempts + 1 }
  }
}

/**
 * Records that the server is about to be told of a message. From then on, it is not sent again unless it is known that the
 * server has not accepted it. Returns false if it must not be sent: the lease has ended, or its user was removed.
 */
export async function markSending(pool: Pool, { companyId, emailId, leaseId }: ClaimedEmail): Promise<boolean> {
  const { rowCount } = await pool.query(
    `update emails set state = 'sending', leased_until = statement_timestamp() + interval '${LEASE_SECONDS} seconds'
     where company_id = $1 and email_id = $2 and lease_id = $3 and state = 'waiting' and content is not null
       and leased_until > statement_timestamp()`,
    [toUuid(companyId), emailId, leaseId],
  )
  return rowCount === 1
}

/** Records that a message is not sent again, and deletes what it says. */
async function endEmail(
  pool: Pool,
  { companyId, emailId, leaseId }: ClaimedEmail,
  { state, error }: { state: 'sent' | 'failed' | 'unknown'; error: string | null },
) {
  await pool.query(
    `update emails set state = $4, error = $5, content = null, ended_at = statement_timestamp(), lease_id = null,
       leased_until = null
     where company_id = $1 and email_id = $2 and lease_id = $3 and ended_at is null`,
    [toUuid(companyId), emailId, leaseId, state, error],
  )
}

/** Records that a message was certainly not sent, and when to try again. One whose user was removed meanwhile ends. */
async function postponeEmail(
  pool: Pool,
  { companyId, emailId, leaseId }: ClaimedEmail,
  { error, delayMs }: { error: string; delayMs: number },
) {
  const ids = [toUuid(companyId), emailId, leaseId]
  await pool.query(
    `update emails set state = 'waiting', error = $4, lease_id = null, leased_until = null,
       due_at = least(give_up_at, statement_timestamp() + $5 * interval '1 millisecond')
     where company_id = $1 and email_id = $2 and lease_id = $3 and ended_at is null and content is not null`,
    [...ids, error, delayMs],
  )
  await pool.query(
    `update emails set state = 'canceled', ended_at = statement_timestamp(), lease_id = null, leased_until = null
     where company_id = $1 and email_id = $2 and lease_id = $3 and ended_at is null and content is null`,
    ids,
  )
}
