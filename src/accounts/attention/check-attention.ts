import { sql } from 'kysely'
import type { Pool, PoolClient } from 'pg'
import type { Logger } from 'pino'
import { BULK_USER_LOGS } from '#projections/bulk-user-logs/queries'
import { type CompanyServices, changeCompany, type Transaction } from '#accounts/change-company'
import { fromUuid, toUuid } from '#domain/ids'
import { WEBHOOK_TYPES } from '#domain/webhook-types'
import { trackWork } from '#ledger/background/failing-work'
import { isComplete } from '#ledger/read/read-progress'
import type { LedgerDb, Row } from '#ledger/tables'
import { inCompany } from '#postgres/company-scope'
import { openDatabase } from '#postgres/kysely'
import { type Outbox, enqueueEmail } from '#accounts/mail/outbox'
import { decideAttention, type RaisedItem, groupProblems, nameOfItem, type AttentionItem } from '#domain/attention'
import { nextVersion, SCHEDULE } from '#ledger/append/append-company-events'
import { readAttention, readClockOf, type CompanyClock } from './read-attention.ts'
import { describeKind } from '#domain/attention-kinds'
import { readNames } from '#ledger/read/read-names'
import { quote, type EmailContent, type Paragraph } from '#accounts/mail/email'
import { inTransaction } from '#postgres/pipeline'
import { buildItemUrl, describeItem, nameSubject, describeCode } from '#wording/attention-words'
import { NAVIGATION } from '#wording/navigation'
import { formatCount, isOrAre } from '#wording/numbers'

interface CheckServices extends Pick<CompanyServices, 'onCommitted'> {
  pool: Pool
  db: LedgerDb
  /** Absent if no SMTP server is configured: only webhooks are told then. */
  outbox: Outbox | undefined
  log: Logger
}

/**
 * Checks each company in which somebody wants to be told, appends what began or stopped needing attention, and writes the
 * messages that are due. A company that fails doesn't keep the others waiting. Safe to run in several processes at once.
 */
export async function checkAttention(services: CheckServices): Promise<void> {
  const { pool, db, outbox, log } = services
  // A new version of the log has few of the calls until it is filled: those that came would seem to be missing.
  if (!(await isComplete(openDatabase(pool), BULK_USER_LOGS))) return
  for (const companyId of await listCompanies(pool)) {
    try {
      await inCompany(companyId, () =>
        trackWork(pool, { companyId, work: 'attention' }, async () => {
          await checkCompany(services, companyId)
          if (outbox) await tellUsers(pool, db, outbox, companyId)
        }),
      )
    } catch (error) {
      log.warn({ err: error, companyId }, 'could not check what needs attention')
    }
  }
}

const ATTENTION_TYPES = WEBHOOK_TYPES.filter((type) => type.startsWith('attention.'))

/** Companies with a user or a webhook to tell, or with something that was raised and has to be resolved. */
async function listCompanies(pool: Pool) {
  const { rows } = await sql<Row<'companies', 'company_id'>>`
    select company_id from users where wants_alerts and removed_at is null
    union select company_id from webhooks where status = 'enabled' and types && ${ATTENTION_TYPES}::text[]
    union select company_id from raised_attention`.execute(openDatabase(pool))
  return rows.map((row) => fromUuid('com', row.company_id))
}

/**
 * Compares what needs attention now with what the company's events say, and appends an event for each difference. Two
 * processes may do so at once: under the lock, the one with the older facts changes nothing. Returns whether anything
 * was appended.
 */
export async function checkCompany(
  services: Pick<CompanyServices, 'pool' | 'onCommitted'> & { db: LedgerDb },
  companyId: string,
): Promise<boolean> {
  const { db } = services
  const raised = await readRaised(db, companyId)
  const found = await readAttention(
    db,
    companyId,
    await readClockOf(db, companyId),
    raised.map(({ item }) => item),
  )
  // Most checks find no difference, and take no lock.
  if (decideAttention(companyId, raised, found, 1).length === 0) return false
  const { position } = await changeCompany(services, { companyId, actor: SCHEDULE }, 'no role', async (tx) => {
    if (!(await isNewest(tx, found.now))) return { events: [], result: {} }
    const company = toUuid(companyId)
    const current = await readRaised(tx.db, companyId)
    const changes = decideAttention(companyId, current, found, await nextVersion(tx.connection, companyId, companyId))
    for (const { name, item, event } of changes) {
      if (event.type === 'AttentionRaised')
        await tx.db.insertInto('raised_attention').values({ company_id: company, name, item }).execute()
      else
        await tx.db.deleteFrom('raised_attention').where('company_id', '=', company).where('name', '=', name).execute()
    }
    return { events: changes.map(({ event }) => event), result: {} }
  })
  return position !== null
}

/** Records the time of these facts, unless newer ones were compared before. */
async function isNewest({ connection, companyId }: Transaction, now: string) {
  const { rowCount } = await connection.query(
    `insert into attention_checks as last (company_id, checked_at) values ($1, $2)
     on conflict (company_id) do update set checked_at = excluded.checked_at
       where last.checked_at < excluded.checked_at`,
    [toUuid(companyId), now],
  )
  return rowCount === 1
}

function readRaised(db: LedgerDb, companyId: string): Promise<RaisedItem[]> {
  const raised = db.selectFrom('raised_attention').where('company_id', '=', toUuid(companyId))
  return raised.select(['name', 'item']).execute()
}

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
async function readStanding(db: LedgerDb, companyId: string) {
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
async function lockUsers(client: PoolClient, companyId: string) {
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
function quoteError(item: AttentionItem) {
  if (!('error' in item.details) || item.details.error === null) return item
  return { ...item, details: { ...item.details, error: quote(item.details.error) } } as AttentionItem
}

function describeMore(count: number, isLeast: boolean) {
  const changes = formatCount(count, 'earlier change')
  return `${isLeast ? 'At least ' : ''}${changes} ${isOrAre(count)} not listed here.`
}
