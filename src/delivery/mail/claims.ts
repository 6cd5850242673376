import type { Pool } from 'pg'
import type { DueWork } from '../../workers/watch-standstill.ts'
import { fromUuid, toUuid } from '../../domain/ids.ts'
import type { EmailKind } from '../../accounts/mail/email.ts'

/** A message to be sent. */
export interface DueEmail {
  companyId: string
  /** A UUID. */
  emailId: string
  kind: EmailKind
  /** The address of its user now. */
  to: string
  content: Buffer
  /** How often it has been tried. */
  attempts: number
  /** `sending`: this process has claimed it. */
  state: 'waiting' | 'sending'
}

/** Seconds after which nobody knows what became of a message that is being sent; sending one takes less. */
const SENDING_SECONDS = 180
const COMPANIES_LISTED = 1_000

const IS_DUE = `e.state = 'waiting' and e.due_at <= statement_timestamp() and e.give_up_at > statement_timestamp()`

/** Lists companies that have messages to send now: those that have waited longest first. */
export async function listCompaniesWithMail(pool: Pool): Promise<string[]> {
  return (await listWaitingMail(pool)).map(({ companyId }) => companyId)
}

/** Lists companies whose message that has waited longest is due; the trace changes with every attempt. */
export async function listWaitingMail(pool: Pool): Promise<(DueWork & { companyId: string })[]> {
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

/** Finds the company's message that has been due for longest; null if there is none. */
export async function findDueEmail(pool: Pool, companyId: string): Promise<DueEmail | null> {
  const { rows } = await pool.query<Omit<DueEmail, 'companyId'>>(
    `select e.email_id as "emailId", e.kind, e.content, e.attempts, e.state, u.email as "to" from emails e
       join users u on u.company_id = e.company_id and u.user_id = e.user_id
     where e.company_id = $1 and e.content is not null and u.removed_at is null and ${IS_DUE}
     order by e.due_at, e.email_id limit 1`,
    [toUuid(companyId)],
  )
  return rows[0] ? { ...rows[0], companyId } : null
}

/**
 * Claims that message, once the server is about to be told of it. From then on, it is not sent again unless it is known
 * that the server has not accepted it. Null if none is left to this process.
 */
export async function claimEmail(pool: Pool, companyId: string): Promise<DueEmail | null> {
  for (;;) {
    const email = await findDueEmail(pool, companyId)
    if (!email) return null
    const { rowCount } = await pool.query(
      `update emails e set state = 'sending', due_at = statement_timestamp() + interval '${SENDING_SECONDS} seconds'
       where e.company_id = $1 and e.email_id = $2 and e.attempts = $3 and e.content is not null and ${IS_DUE}`,
      [toUuid(companyId), email.emailId, email.attempts],
    )
    // Otherwise, another process was faster, or the user was removed.
    if (rowCount === 1) return { ...email, state: 'sending' }
  }
}

/** Records that a claimed message is not sent again, and deletes what it says. */
export async function endEmail(
  pool: Pool,
  { companyId, emailId }: DueEmail,
  { state, error }: { state: 'sent' | 'failed' | 'unknown'; error: string | null },
): Promise<void> {
  await pool.query(
    `update emails set state = $3, error = $4, attempts = attempts + 1, content = null,
       ended_at = statement_timestamp()
     where company_id = $1 and email_id = $2 and state = 'sending'`,
    [toUuid(companyId), emailId, state, error],
  )
}

/**
 * Records that a message was certainly not sent, and when to try again, unless another process has tried it meanwhile. One
 * whose user was removed ends.
 */
export async function postponeEmail(
  pool: Pool,
  { companyId, emailId, attempts, state }: DueEmail,
  { error, delayMs }: { error: string; delayMs: number },
): Promise<void> {
  const ids = [toUuid(companyId), emailId]
  await pool.query(
    `update emails set state = 'waiting', error = $5, attempts = attempts + 1,
       due_at = least(give_up_at, statement_timestamp() + $6 * interval '1 millisecond')
     where company_id = $1 and email_id = $2 and state = $3 and attempts = $4 and content is not null`,
    [...ids, state, attempts, error, delayMs],
  )
  if (state === 'waiting') return
  await pool.query(
    `update emails set state = 'canceled', ended_at = statement_timestamp()
     where company_id = $1 and email_id = $2 and state = 'sending' and content is null`,
    ids,
  )
}
