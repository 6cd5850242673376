import { sql } from 'kysely'
import type { Pool, PoolClient } from 'pg'
import { groupProblems, nameOfItem, type AttentionItem, type RaisedItem } from '#domain/attention'
import { describeKind } from '#domain/attention-kinds'
import { fromUuid, toUuid } from '#domain/ids'
import { readNames } from '#ledger/read/read-names'
import type { LedgerDb, Row } from '#ledger/tables'
import { quote, type EmailContent, type Paragraph } from '../mail/email.ts'
import { enqueueEmail, type Outbox } from '../mail/outbox.ts'
import { inTransaction } from '#postgres/pipeline'
import { buildItemUrl, describeItem, nameSubject } from '#wording/attention-words'
import { describeCode } from '#wording/failure-causes'
import { NAVIGATION } from '#wording/navigation'
import { formatCount } from '#wording/numbers'
import { readAttention, readClockOf, type CompanyClock } from './read-attention.ts'

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
  const { upTo, raised } = await readStanding(db, companyId)
  const changes = await listChanges(db, companyId, upTo)
  if (changes.length === 0) return
  const names = await readNames(db, companyId, [...new Set(changes.map(({ data }) => data.subject_id))])
  const clock = await readClockOf(db, companyId)
  const { items, snoozes } = await readAttention(
    db,
    companyId,
    clock,
    raised.map(({ item }) => item),
  )
  const isSnoozed = ({ name }: RaisedItem) => snoozes.some((snooze) => snooze.name === name)
  const open = groupProblems(raised.filter((one) => !isSnoozed(one)).map(({ item }) => item)).length
  const now = { open, items: new Map(items.map((item) => [nameOfItem(item), item])), names, ...clock }
  const hasTold = await inTransaction(pool, async (client) => {
    let hasTold = false
    for (const { userId, position } of await lockUsers(client, companyId)) {
      const untold = changes.filter((change) => change.position > position)
      if (untold.length === 0) continue
      const content = describeChanges(untold, now, outbox)
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

/** Reads the position up to which the ledger tells changes, and the problems that were raised by then and last. */
async function readStanding(db: LedgerDb, companyId: string): Promise<{ upTo: number; raised: RaisedItem[] }> {
  const company = toUuid(companyId)
  // One statement, so that both are of the same moment.
  const { rows } = await sql<Row<'heads', 'position'> & { raised: RaisedItem[] }>`
    select position, (select coalesce(json_agg(json_build_object('name', name, 'item', item)), '[]')
      from raised_attention where company_id = ${company}) as raised
    from heads where company_id = ${company}`.execute(db)
  return { upTo: rows[0]!.position, raised: rows[0]!.raised }
}

const IS_DUE = `wants_alerts and role = 'admin' and removed_at is null
  and (told_at is null or told_at <= statement_timestamp() - interval '${GATHERED_MINUTES} minutes')`

/** Locks the users who may be told now, with the position up to which they were. Another process may tell the others. */
async function lockUsers(client: PoolClient, companyId: string): Promise<{ userId: string; position: number }[]> {
  const { rows } = await client.query<Row<'users', 'user_id' | 'told_position'>>(
    `select user_id, told_position from users where company_id = $1 and ${IS_DUE} order by user_id
      for update skip locked`,
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
      and position > (select min(told_position) from users where company_id = ${toUuid(companyId)}
        and ${sql.raw(IS_DUE)})
      and type in ('AttentionRaised', 'AttentionResolved') and data is not null
    order by position desc limit ${MAX_CHANGES}`.execute(db)
  return rows
    .map(({ position, type, data }) => ({ position, type, data: JSON.parse(data!) as Change['data'] }))
    .toReversed()
}

/** What a message tells its changes by. */
interface Standing extends CompanyClock {
  /** The number of problems that last. */
  open: number
  /** What needs attention now, by name. */
  items: ReadonlyMap<string, AttentionItem>
  /** Names of keys and webhooks, by id. */
  names: ReadonlyMap<string, string>
}

/** Describes changes, oldest first, as a message. */
function describeChanges(changes: Change[], standing: Standing, outbox: Outbox): EmailContent {
  const more = changes.length - LISTED
  const { open } = standing
  return {
    subject:
      open === 0
        ? 'Nothing needs your attention any more'
        : `${formatCount(open, 'problem')} need${open === 1 ? 's' : ''} your attention`,
    paragraphs: [
      ...(more > 0 ? [describeMore(more, changes.length === MAX_CHANGES)] : []),
      ...changes.slice(-LISTED).flatMap((change) => describeChange(change, standing, outbox)),
      { text: `Open ${NAVIGATION.bulkUserLogs.label}`, url: `${outbox.publicUrl}${NAVIGATION.bulkUserLogs.path}` },
      'You get this message because you asked for alerts by email on your account page.',
    ],
  }
}

/** Describes a change: what lasts as the page does, with a link; what has ended in a few words. */
function describeChange({ type, data }: Change, standing: Standing, { publicUrl }: Outbox): Paragraph[] {
  const { kind, subject_id: id, code } = data
  const item = standing.items.get([kind, id, ...(code === undefined ? [] : [code])].join(' '))
  const name = standing.names.get(id) ?? (item && nameSubject(item))
  const of = name === undefined ? '' : `${quote(name)}: `
  if (type === 'AttentionResolved' || item === undefined) {
    const why = code === undefined ? '' : ` (${describeCode(code)})`
    return [`${type === 'AttentionRaised' ? 'Began' : 'Ended'}: ${of}${describeKind(kind)}${why}.`]
  }
  const { problem, remedy } = describeItem(quoteError(item), standing.timeZone, Date.parse(standing.now))
  return [`Began: ${of}${problem}. ${remedy}`, { text: 'Open it', url: `${publicUrl}${buildItemUrl(item)}` }]
}

/** An error may repeat what another server said. */
function quoteError(item: AttentionItem): AttentionItem {
  if (!('error' in item.details) || item.details.error === null) return item
  return { ...item, details: { ...item.details, error: quote(item.details.error) } } as AttentionItem
}

function describeMore(count: number, isLeast: boolean): string {
  return `${isLeast ? 'At least ' : ''}${formatCount(count, 'earlier change')} ${count === 1 ? 'is' : 'are'} not listed here.`
}
