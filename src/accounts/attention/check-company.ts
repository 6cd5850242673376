import { decideAttention, type RaisedItem } from '../../domain/attention.ts'
import { toUuid } from '../../domain/ids.ts'
import { nextVersion, SCHEDULE } from '../../ledger/append/append-company-events.ts'
import { changeCompany, type CompanyServices, type Transaction } from '../change-company.ts'
import type { LedgerDb } from '../../ledger/tables.ts'
import { readAttention, readClockOf } from './read-attention.ts'

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
     on conflict (company_id) do update set checked_at = excluded.checked_at where last.checked_at < excluded.checked_at`,
    [toUuid(companyId), now],
  )
  return rowCount === 1
}

function readRaised(db: LedgerDb, companyId: string): Promise<RaisedItem[]> {
  const raised = db.selectFrom('raised_attention').where('company_id', '=', toUuid(companyId))
  return raised.select(['name', 'item']).execute()
}
