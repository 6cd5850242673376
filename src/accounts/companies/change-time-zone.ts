import type { ClientBase } from 'pg'
import type { NewEvent } from '../../domain/events.ts'
import { toUuid } from '../../domain/ids.ts'
import { nextVersion } from '../../ledger/append/append-company-events.ts'
import type { CompanyRecord, CompanyRow } from './read-company.ts'
import { toCompanyRecord } from './read-company.ts'
import type { Acting, CompanyServices } from '../change-company.ts'
import { changeCompany } from '../change-company.ts'

/**
 * Changes the time zone (an IANA name) in which a company's users see times. Stored times stay in UTC. Without a time
 * zone, changes nothing. The position is null if nothing changed.
 */
export async function changeTimeZone(
  services: CompanyServices,
  acting: Acting,
  timeZone: string | undefined,
): Promise<{ company: CompanyRecord; position: number | null }> {
  const { companyId } = acting
  const { result, position } = await changeCompany(services, acting, 'admin', async (client) => {
    const company = await loadCompany(client, companyId)
    if (timeZone === undefined || timeZone === company.timeZone) return { events: [], result: company }
    const version = await nextVersion(client, companyId, companyId)
    await updateTimeZone(client, companyId, timeZone)
    const changed: NewEvent = {
      type: 'CompanyTimeZoneChanged',
      stream: companyId,
      version,
      index: null,
      data: { from: company.timeZone, to: timeZone },
    }
    return { events: [changed], result: { ...company, timeZone } }
  })
  return { company: result, position }
}

/** Loads a company under the lock of its head. */
async function loadCompany(client: ClientBase, companyId: string): Promise<CompanyRecord> {
  const { rows } = await client.query<CompanyRow>(
    'select company_id, name, time_zone, created_at from companies where company_id = $1',
    [toUuid(companyId)],
  )
  if (!rows[0]) throw new Error(`the ledger of ${companyId} has no company`)
  return toCompanyRecord(rows[0])
}

/** Stores the time zone, an IANA name, under the lock of the head. */
async function updateTimeZone(client: ClientBase, companyId: string, timeZone: string): Promise<void> {
  await client.query('update companies set time_zone = $2 where company_id = $1', [toUuid(companyId), timeZone])
}
