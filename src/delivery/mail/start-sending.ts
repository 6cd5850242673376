import { endOverdueEmails } from '../../accounts/mail/outbox.ts'
import { startTurns, type CompanyTurns } from '../../workers/company-turns.ts'
import { SEND_EMAILS, type PgBoss } from '../../workers/queues.ts'
import { listCompaniesWithMail } from './claims.ts'
import { sendNextEmail, type SendingServices } from './send-next.ts'

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
