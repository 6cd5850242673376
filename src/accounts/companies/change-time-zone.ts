import type { NewEvent } from '../../domain/events.ts'
import { nextVersion } from '../../ledger/append/append-company-events.ts'
import { loadCompany, updateTimeZone } from './company-rows.ts'
import type { CompanyRecord } from './read-company.ts'
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
      ...{ type: 'CompanyTimeZoneChanged', stream: companyId, version, index: null },
      data: { from: company.timeZone, to: timeZone },
    }
    return { events: [changed], result: { ...company, timeZone } }
  })
  return { company: result, position }
}
