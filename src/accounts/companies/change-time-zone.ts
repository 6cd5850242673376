import type { NewEvent } from '../../domain/events.ts'
import { nextVersion } from '../../ledger/append/append-company-events.ts'
import { loadCompany, updateTimeZone } from './company-rows.ts'
import type { CompanyRecord } from './read-company.ts'
import type { Acting, CompanyServices } from '../users/change-company.ts'
import { changeCompany } from '../users/change-company.ts'

/**
 * Gives a company another time zone, an IANA name, in which its people read times from now on. What is stored stays in
 * UTC. Without a time zone nothing is asked for. The position is null when all that was asked for held already.
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
