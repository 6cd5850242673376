import { pino } from 'pino'
import { toUuid } from '../../../src/domain/ids.ts'
import type { NewEmail, Outbox } from '../../../src/accounts/mail/outbox.ts'
import { enqueueEmail } from '../../../src/accounts/mail/outbox.ts'
import { readMailServer } from '../../../src/delivery/mail/mail-server.ts'
import type { SendingServices } from '../../../src/delivery/mail/send-next.ts'
import { createSecretBox } from '../../../src/accounts/secrets/secret-box.ts'
import type { Service, TestCompany } from '../service.ts'
import { earlier } from '../postgres/move-back.ts'

const PUBLIC_URL = 'https://ledger.example'
const SECRETS = createSecretBox([Buffer.alloc(32, 3)])

/** A stored message, as its row says. */
interface EmailRow {
  email_id: string
  kind: string
  state: string
  has_content: boolean
  error: string | null
  attempts: number
}

/** The outbox of a service, and what sends it in this process, when a test says so. */
export function openTestOutbox({ pool, company }: Service) {
  const outbox: Outbox = { publicUrl: PUBLIC_URL, secrets: SECRETS, announce: () => undefined }
  return {
    outbox,

    /** Stores a message to the administrator of a company, or to another user. */
    async enqueue(email: Partial<NewEmail> = {}, { id: companyId, admin }: TestCompany = company): Promise<void> {
      const preset = { companyId, userId: admin.user_id, kind: 'alert', subject: 'Hello' } as const
      await enqueueEmail(pool, outbox, { ...preset, paragraphs: ['World'], ...email })
    },

    /** What sends to a server. A server that keeps silent is waited for half a second. */
    services(url: string, more: Partial<SendingServices> = {}): SendingServices {
      const server = readMailServer({ SMTP_URL: url, MAIL_FROM: 'Ledger <ledger@ledger.example>', PUBLIC_URL })!
      const log = pino({ level: 'silent' })
      return { pool, secrets: SECRETS, server, publicUrl: PUBLIC_URL, log, ...more }
    },

    /** The messages of a company, oldest first. */
    async rows({ id }: Pick<TestCompany, 'id'> = company): Promise<EmailRow[]> {
      const { rows } = await pool.query<EmailRow>(
        `select email_id, kind, state, content is not null as has_content, error, attempts from emails
         where company_id = $1 order by created_at, email_id`,
        [toUuid(id)],
      )
      return rows
    },

    /** Lets time pass for the messages that wait: their next attempt is due, and their leases have ended. */
    async passTime(): Promise<void> {
      await pool.query(`update emails set due_at = now() - interval '1 minute', leased_until = ${earlier('leased_until', "interval '1 hour'")}
        where ended_at is null`)
    },

    /** Deletes all messages. */
    async clear(): Promise<void> {
      await pool.query('delete from emails')
    },
  }
}
