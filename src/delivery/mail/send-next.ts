import { randomUUID } from 'node:crypto'
import type { Pool } from 'pg'
import type { Logger } from 'pino'
import { clearFailingWork, recordFailingWork } from '#ledger/background/failing-work'
import { UnreadableSecretError, type SecretBox } from '#accounts/secrets/secret-box'
import type { EmailContent } from '#accounts/mail/email'
import { decryptContent, endOverdueEmails } from '#accounts/mail/outbox'
import { renderEmail } from '#accounts/mail/render-email'
import { chooseDelay, MAIL_BACKOFF } from '../backoff.ts'
import { claimEmail, endEmail, markSending, postponeEmail, type ClaimedEmail, listCompaniesWithMail } from './claims.ts'
import type { MailServer } from './mail-server.ts'
import { openSmtpSession, SmtpError, type SendOutcome, type SmtpSession, type SmtpTimeouts } from './smtp.ts'
import { startTurns, type CompanyTurns } from '#workers/company-turns'
import { SEND_EMAILS, type PgBoss } from '#workers/queues'

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
