import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Pool } from 'pg'
import { toUuid } from '#domain/ids'
import { deleteInPieces } from '#postgres/delete-in-pieces'
import { openDatabase } from '#postgres/kysely'
import type { SecretBox } from '../secrets/secret-box.ts'
import { limitContent, type EmailContent, type EmailKind } from './email.ts'
import type { Queryable } from '#postgres/pool'

/*
 * The messages that are to be sent. One is inserted in the transaction of the change that causes it, so that it is sent
 * if and only if the change is made. What it says is encrypted, because it may have a link that signs its user in.
 */

/** What is needed to write messages. There is none where no SMTP server is configured. */
export interface Outbox {
  /** The address of the service, for links. */
  publicUrl: string
  secrets: SecretBox
  /** Announces that companies have new messages, after COMMIT. Returns at once: a sweep makes up for a lost one. */
  announce(companyIds: string[]): void
}

/** A message to a user of a company. */
export interface NewEmail extends EmailContent {
  companyId: string
  userId: string
  kind: EmailKind
  /** When it stops being of use, RFC 3339; it is tried for a day at most. */
  expiresAt?: string
}

/** How long a message is tried. */
const TRIED_HOURS = 24
/** Messages of a company that may wait; their number is what a company can make the service store. */
const MAX_WAITING = 10_000
/**
 * Messages of a kind in an hour: of a company to an address, so that nobody can fill a mailbox, and of a company.
 * Invitations go to people who may never have heard of the service. Alerts to a user have an interval, too.
 */
const MAX_AN_HOUR: Record<EmailKind, { toAddress: number; ofCompany: number }> = {
  invitation: { toAddress: 5, ofCompany: 200 },
  password_reset: { toAddress: 5, ofCompany: 1_000 },
  password_changed: { toAddress: 5, ofCompany: 1_000 },
  passkey_added: { toAddress: 5, ofCompany: 1_000 },
  token_issued: { toAddress: 5, ofCompany: 1_000 },
  alert: { toAddress: 20, ofCompany: 1_000 },
}
/** How long it is kept what was sent to whom, without what it said. */
const EMAILS_KEPT_DAYS = 30

/**
 * Inserts a message in the caller's transaction. Returns false, and inserts nothing, if the user was removed, if too many
 * wait, or if the address or the company has had too many of its kind in this hour, from whichever process. The address
 * counts, and not the user: whoever was removed can be invited again. Nobody knows the address of those who were erased,
 * so their messages count for every address of the company. After COMMIT, call `announce`. Whoever writes a message
 * because of a request locks the user, so that two at once stay within the limit.
 */
export async function enqueueEmail(
  client: Queryable,
  { secrets }: Outbox,
  { companyId, userId, kind, expiresAt, ...content }: NewEmail,
) {
  const emailId = randomUUID()
  const { toAddress, ofCompany } = MAX_AN_HOUR[kind]
  const sealed = secrets.encrypt(JSON.stringify(limitContent(content)), placeOfEmail(emailId))
  const { rowCount } = await client.query(
    `insert into emails (company_id, email_id, user_id, kind, state, content, created_at, due_at, give_up_at)
     select u.company_id, $3::uuid, u.user_id, $4, 'waiting', $5::bytea, statement_timestamp(), statement_timestamp(),
       least(statement_timestamp() + interval '${TRIED_HOURS} hours', $6::timestamptz)
     from users u
     where u.company_id = $1 and u.user_id = $2 and u.removed_at is null
       and ${hasFewer(String(MAX_WAITING), 'e.ended_at is null')}
       and ${hasFewer('$7', `e.kind = $4 and ${IN_LAST_HOUR} and ${GOES_TO_ADDRESS}`)}
       and ${hasFewer('$8', `e.kind = $4 and ${IN_LAST_HOUR}`)}`,
    [...[toUuid(companyId), toUuid(userId), emailId, kind, sealed, expiresAt ?? null], toAddress, ofCompany],
  )
  return rowCount === 1
}

const IN_LAST_HOUR = "e.created_at > statement_timestamp() - interval '1 hour'"

/** The message `e` went to the address of the user `u`, or to one that was erased. */
const GOES_TO_ADDRESS = `exists (select from users r
  where r.company_id = $1 and r.user_id = e.user_id and r.email in (u.email, ''))`

/** The condition that the company $1 has fewer messages than `limit`, in SQL, for which another condition holds. */
function hasFewer(limit: string, condition: string) {
  return `(select count(*) from (select from emails e where e.company_id = $1 and ${condition}
    limit ${limit}) as counted) < ${limit}`
}

/** Names the row of a message, for encryption. */
export function placeOfEmail(emailId: string) {
  return `message ${emailId}`
}

/** Opens what a stored message says. Throws UnreadableSecretError. */
export function decryptContent(secrets: SecretBox, sealed: Buffer, emailId: string): EmailContent {
  return JSON.parse(secrets.decrypt(sealed, placeOfEmail(emailId))) as EmailContent
}

/**
 * Cancels the messages to a user that are not under way, and deletes what the others say, and what mail servers said of
 * them, which may name the address, in the transaction that removes or erases the user.
 */
export async function cancelEmails(client: Queryable, companyId: string, userId: string) {
  const ids = [toUuid(companyId), toUuid(userId)]
  await client.query(
    `update emails set state = 'canceled', content = null, ended_at = statement_timestamp(), lease_id = null,
       leased_until = null
     where company_id = $1 and user_id = $2 and state = 'waiting'`,
    ids,
  )
  await client.query(
    `update emails set content = null, error = null
     where company_id = $1 and user_id = $2 and (content is not null or error is not null)`,
    ids,
  )
}

/**
 * Ends the messages that were not sent in time, and those whose sender has vanished: whether the server accepted one of
 * these is unknown. Returns how many. Several processes may do so at once.
 */
export async function endOverdueEmails(pool: Pool): Promise<number> {
  const end = async (state: 'failed' | 'unknown', isOverdue: string, error: string) => {
    const statement = sql`update emails set state = ${state}, content = null, error = coalesce(error, ${error}),
      ended_at = statement_timestamp(), lease_id = null, leased_until = null
      where ended_at is null and ${sql.raw(isOverdue)}`
    const { numAffectedRows } = await statement.execute(openDatabase(pool))
    return Number(numAffectedRows ?? 0n)
  }
  const isFree = '(leased_until is null or leased_until <= statement_timestamp())'
  return (
    (await end('unknown', `state = 'sending' and ${isFree}`, 'The process that sent it has ended')) +
    (await end('failed', `state = 'waiting' and give_up_at <= statement_timestamp() and ${isFree}`, OVERDUE))
  )
}

const OVERDUE = 'It could not be sent in time'

/** Deletes the records of messages after EMAILS_KEPT_DAYS. Returns how many. */
export function deleteOldEmails(pool: Pool): Promise<number> {
  const isOld = sql`created_at < statement_timestamp() - make_interval(days => ${EMAILS_KEPT_DAYS})
    and ended_at is not null`
  return deleteInPieces(pool, 'emails', ['company_id', 'email_id'], isOld, 'created_at')
}
