import { sql } from 'kysely'
import type { Pool, PoolClient } from 'pg'
import { describeKind } from '../../domain/attention-kinds.ts'
import { fromUuid, toUuid } from '../../domain/ids.ts'
import { readNames } from '../../ledger/read/read-names.ts'
import type { LedgerDb, Row } from '../../ledger/tables.ts'
import { quote, type EmailContent } from '../mail/email.ts'
import { enqueueEmail, type Outbox } from '../mail/outbox.ts'
import { inTransaction } from '../../postgres/transaction.ts'

/** The shortest time between two alerts to a user, in minutes: what changes meanwhile goes into one message. */
const GATHERED_MINUTES = 15
/** The changes that are read, the newest ones, and those that a message lists. */
const MAX_CHANGES = 500
const LISTED = 20

interface Change {
  position: number
  type: string
  data: { kind: string; subject_id: string; code?: string }
}

/**
 * Writes a message to each administrator who wants alerts, and who was told nothing for a while, about what began or
 * stopped needing attention since then. The message and the note that the user was told are written together, so each
 * change is told exactly once. A message names keys and webhooks, and never an employee.
 */
export async function tellUsers(pool: Pool, db: LedgerDb, outbox: Outbox, companyId: string): Promise<void> {
  const { upTo, open } = await readStanding(db, companyId)
  const changes = await listChanges(db, companyId, upTo)
  if (changes.length === 0) return
  const names = await readNames(db, companyId, [...new Set(changes.map(({ data }) => data.subject_id))])
  const hasTold = await inTransaction(pool, async (client) => {
    let hasTold = false
    for (const { userId, position } of await lockUsers(client, companyId)) {
      const untold = changes.filter((change) => change.position > position)
      if (untold.length === 0) continue
      const content = describeChanges(untold, { open, names, publicUrl: outbox.publicUrl })
      await enqueueEmail(client, outbox, { companyId, userId, kind: 'alert', ...content })
      await client.query(
        'update users set told_position = $3, told_at = statement_timestamp() where company_id = $1 and user_id = $2',
        [toUuid(companyId), toUuid(userId), upTo],
      )
      hasTold = true
    }
    return hasTold
  })
  if (hasTold) outbox.announce([companyId])
}

/** Reads the position up to which the ledger tells changes, and how many problems were raised by then and last. */
async function readStanding(db: LedgerDb, companyId: string): Promise<{ upTo: number; open: number }> {
  const company = toUuid(companyId)
  // One statement, so that both are of the same moment.
  const { rows } = await sql<Row<'heads', 'position'> & { open: number }>`
    select position, (select count(*)::integer from raised_attention where company_id = ${company}) as open
    from heads where company_id = ${company}`.execute(db)
  return { upTo: rows[0]!.position, open: rows[0]!.open }
}

const IS_DUE = `wants_alerts and role = 'admin' and removed_at is null
  and (told_at is null or told_at <= statement_timestamp() - interval '${GATHERED_MINUTES} minutes')`

/** Locks the users who may be told now, with the position up to which they were. Another process may tell the others. */
async function lockUsers(client: PoolClient, companyId: string): Promise<{ userId: string; position: number }[]> {
  const { rows } = await client.query<Row<'users', 'user_id' | 'told_position'>>(
    `select user_id, told_position from users where company_id = $1 and ${IS_DUE} order by user_id for update skip locked`,
    [toUuid(companyId)],
  )
  // Whoever wants alerts has one.
  return rows.map((row) => ({ userId: fromUuid('usr', row.user_id), position: row.told_position! }))
}

/** Lists the changes, up to a position, that a user who may be told now has not been told of. */
async function listChanges(db: LedgerDb, companyId: string, upTo: number): Promise<Change[]> {
  const { rows } = await sql<Row<'events', 'position' | 'type' | 'data'>>`
    select position, type, data from events
    where company_id = ${toUuid(companyId)} and call_id is null and position <= ${upTo}
      and position > (select min(told_position) from users where company_id = ${toUuid(companyId)} and ${sql.raw(IS_DUE)})
      and type in ('AttentionRaised', 'AttentionResolved') and data is not null
    order by position desc limit ${MAX_CHANGES}`.execute(db)
  return rows
    .map(({ position, type, data }) => ({ position, type, data: JSON.parse(data!) as Change['data'] }))
    .toReversed()
}

/** Describes changes, oldest first, as a message. `open` is the number of problems that last. */
function describeChanges(
  changes: Change[],
  { open, names, publicUrl }: { open: number; names: ReadonlyMap<string, string>; publicUrl: string },
): EmailContent {
  const lines = changes.slice(-LISTED).map(({ type, data }) => {
    const name = names.get(data.subject_id)
    const of = name === undefined ? '' : ` (${quote(name)})`
    const code = data.code === undefined ? '' : `, ${data.code}`
    return `${type === 'AttentionRaised' ? 'Began' : 'Ended'}: ${describeKind(data.kind)}${of}${code}.`
  })
  const more = changes.length - lines.length
  return {
    subject:
      open === 0
        ? 'Nothing needs your attention any more'
        : `${countOf(open, 'problem')} need${open === 1 ? 's' : ''} your attention`,
    paragraphs: [
      ...(more > 0 ? [describeMore(more, changes.length === MAX_CHANGES)] : []),
      ...lines,
      { text: 'Open Bulk User Logs', url: `${publicUrl}/settings/bulk-user-logs` },
      'You get this message because you asked for alerts by email on your account page.',
    ],
  }
}

function describeMore(count: number, isLeast: boolean): string {
  return `${isLeast ? 'At least ' : ''}${countOf(count, 'earlier change')} ${count === 1 ? 'is' : 'are'} not listed here.`
}

function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
