import type { Pool } from 'pg'
import type { DueWork } from '#workers/watch-standstill'
import { fromUuid, toUuid } from '#domain/ids'
import type { EmailKind } from '#accounts/mail/email'

/** A message by its ids. */
interface EmailRef {
  companyId: string
  /** A UUID. */
  emailId: string
}

/** A message that this process may send. */
export interface ClaimedEmail extends EmailRef {
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
  const { rows } = await pool.query<{ company_id: string }>(
    `select e.company_id from emails e where ${IS_DUE}
     group by e.company_id order by min(e.due_at) limit ${COMPANIES_LISTED}`,
  )
  return rows.map((row) => fromUuid('com', row.company_id))
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
export async function endEmail(
  pool: Pool,
  { companyId, emailId, leaseId }: ClaimedEmail,
  { state, error }: { state: 'sent' | 'failed' | 'unknown'; error: string | null },
): Promise<void> {
  await pool.query(
    `update emails set state = $4, error = $5, content = null, ended_at = statement_timestamp(), lease_id = null,
       leased_until = null
     where company_id = $1 and email_id = $2 and lease_id = $3 and ended_at is null`,
    [toUuid(companyId), emailId, leaseId, state, error],
  )
}

/** Records that a message was certainly not sent, and when to try again. One whose user was removed meanwhile ends. */
export async function postponeEmail(
  pool: Pool,
  { companyId, emailId, leaseId }: ClaimedEmail,
  { error, delayMs }: { error: string; delayMs: number },
): Promise<void> {
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
