import type { PoolClient } from 'pg'
import { decideAttention, type RaisedItem } from '../../domain/attention.ts'
import { toUuid } from '../../domain/ids.ts'
import { appendCompanyEvents, nextVersion, SCHEDULE } from '../../ledger/append/append-company-events.ts'
import type { CompanyServices } from '../change-company.ts'
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
  const { db, pool, onCommitted } = services
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
  const { position } = await appendCompanyEvents(pool, { companyId, actor: SCHEDULE }, async (client) => {
    if ((await nextVersion(client, companyId, companyId)) !== version) return { events: [], result: null }
    for (const { name, item, event } of changes) {
      if (event.type === 'AttentionRaised') await insertRaised(client, companyId, { name, item })
      else await deleteRaised(client, companyId, name)
    }
    return { events: changes.map(({ event }) => event), result: null }
  })
  if (position !== null) onCommitted?.([companyId])
  return position !== null
}

function readRaised(db: LedgerDb, companyId: string): Promise<RaisedItem[]> {
  const raised = db.selectFrom('raised_attention').where('company_id', '=', toUuid(companyId))
  return raised.select(['name', 'item']).execute()
}

async function insertRaised(client: PoolClient, companyId: string, { name, item }: RaisedItem): Promise<void> {
  await client.query('insert into raised_attention (company_id, name, item) values ($1, $2, $3)', [
    toUuid(companyId),
    name,
    JSON.stringify(item),
  ])
}

async function deleteRaised(client: PoolClient, companyId: string, name: string): Promise<void> {
  await client.query('delete from raised_attention where company_id = $1 and name = $2', [toUuid(companyId), name])
}
