import type { Pool } from 'pg'
import type { Logger } from 'pino'
import { clearFailingWork, recordFailingWork } from '../../ledger/background/failing-work.ts'
import { UnreadableSecretError, type SecretBox } from '../../accounts/secrets/secret-box.ts'
import { decryptContent } from '../../accounts/mail/outbox.ts'
import { renderEmail } from '../../accounts/mail/render-email.ts'
import { chooseDelay, MAIL_BACKOFF } from '../backoff.ts'
import { claimEmail, endEmail, findDueEmail, postponeEmail, type DueEmail } from './claims.ts'
import type { MailServer } from './mail-server.ts'
import { openSmtpSession, SmtpError, type SendOutcome, type SmtpSession, type SmtpTimeouts } from './smtp.ts'

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
  const due = await findDueEmail(pool, companyId)
  if (!due) return false
  const { email, result } = await trySending(services, due, signal)
  if (result === null) return true
  onAttempt?.(result.outcome)
  const work = { companyId, work: 'emails' } as const
  const { emailId, kind } = email
  const attempts = email.attempts + 1
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

/** What came of which message. */
interface Attempt {
  email: DueEmail
  /** Null if there is no message left for this process. */
  result: SendOutcome | null
}

/** Opens a session first: what is due then is claimed only once the server is about to be told of it. */
async function trySending(services: SendingServices, due: DueEmail, signal: AbortSignal): Promise<Attempt> {
  const { pool, secrets, server, publicUrl, timeouts, log } = services
  let session: SmtpSession
  try {
    session = await openSmtpSession(server, { signal, ...(timeouts ? { timeouts } : {}) })
  } catch (error) {
    if (!(error instanceof SmtpError)) throw error
    return { email: due, result: { outcome: 'retry', reason: error.message } }
  }
  let email: DueEmail | null = null
  try {
    email = await claimEmail(pool, due.companyId)
    if (!email) return { email: due, result: null }
    const content = decryptContent(secrets, email.content, email.emailId)
    const message = { ...(await renderEmail(content, publicUrl)), id: email.emailId, to: email.to }
    return { email, result: await session.send(message) }
  } catch (error) {
    if (!email || !(error instanceof UnreadableSecretError)) throw error
    log.error({ err: error }, 'could not read a message: check SECRETS_KEY')
    return { email, result: { outcome: 'retry', reason: 'The service cannot read this message' } }
  } finally {
    session.close()
  }
}
