import { sql } from 'kysely'
import type { Pool } from 'pg'
import type { Logger } from 'pino'
import { BULK_USER_LOGS } from '#projections/bulk-user-logs/queries'
import { type CompanyServices, changeCompany, type Transaction } from '../change-company.ts'
import { fromUuid, toUuid } from '#domain/ids'
import { WEBHOOK_TYPES } from '#domain/webhook-types'
import { trackWork } from '#ledger/background/failing-work'
import { isComplete } from '#ledger/read/read-progress'
import type { LedgerDb, Row } from '#ledger/tables'
import { inCompany } from '#postgres/company-scope'
import { openDatabase } from '#postgres/kysely'
import type { Outbox } from '../mail/outbox.ts'
import { tellUsers } from './tell-users.ts'
import { decideAttention, type RaisedItem } from '#domain/attention'
import { nextVersion, SCHEDULE } from '#ledger/append/append-company-events'
import { readAttention, readClockOf } from './read-attention.ts'

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
async function listCompanies(pool: Pool): Promise<string[]> {
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
async function isNewest({ connection, companyId }: Transaction, now: string): Promise<boolean> {
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
