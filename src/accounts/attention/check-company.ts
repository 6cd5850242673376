import { decideAttention, type RaisedItem } from '../../domain/attention.ts'
import { toUuid } from '../../domain/ids.ts'
import { nextVersion, SCHEDULE } from '../../ledger/append/append-company-events.ts'
import { changeCompany, type CompanyServices } from '../change-company.ts'
import type { LedgerDb } from '../../ledger/tables.ts'
import { readAttention, readClockOf } from './read-attention.ts'

/**
 * Compares what needs attention now with what the company's events say, and appends an event for each difference. Several
 * processes may do so at once: of those that begin with the same events, the first one appends. Returns whether anything
 * was appended.
 */
export async function checkCompany(
  services: Pick<CompanyServices, 'pool' | 'onCommitted'> & { db: LedgerDb },
  companyId: string,
): Promise<boolean> {
  const { db, pool } = services
  // First, so that whatever is appended while the facts are read makes them count for nothing.
  const version = await nextVersion(pool, companyId, companyId)
  const raised = await readRaised(db, companyId)
  const found = await readAttention(
    db,
    companyId,
    await readClockOf(db, companyId),
    raised.map(({ item }) => item),
  )
  const changes = decideAttention(companyId, raised, found, version)
  // Most checks find no difference, and take no lock.
  if (changes.length === 0) return false
  const { position } = await changeCompany(services, { companyId, actor: SCHEDULE }, 'no role', async (tx) => {
    const company = toUuid(companyId)
    if ((await nextVersion(tx.connection, companyId, companyId)) !== version) return { events: [], result: {} }
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

function readRaised(db: LedgerDb, companyId: string): Promise<RaisedItem[]> {
  const raised = db.selectFrom('raised_attention').where('company_id', '=', toUuid(companyId))
  return raised.select(['name', 'item']).execute()
}
