import type { NewEvent } from '../../domain/events.ts'
import { toUuid } from '../../domain/ids.ts'
import { nextVersion } from '../../ledger/append/append-company-events.ts'
import { readCompany, type CompanyRecord, type CompanyRow } from './read-company.ts'
import { changeCompany, type Acting, type CompanyServices } from '../change-company.ts'

export interface CompanySettings {
  /** The time zone (an IANA name) in which the company's users see times. Stored times stay in UTC. */
  timeZone?: string | undefined
  /** The country (ISO 3166-1 alpha-2) in which local phone numbers are read, from the next call on; null is none. */
  country?: string | null | undefined
}

/** Changes the settings that are given and differ from the current ones. The position is null if nothing changed. */
export async function changeSettings(
  services: CompanyServices,
  acting: Acting,
  settings: CompanySettings,
): Promise<{ company: CompanyRecord; position: number | null }> {
  return changeCompany(services, acting, 'admin', async ({ connection, db, companyId: stream }) => {
    const before = await readCompany(db, stream)
    const { timeZone = before.timeZone, country = before.country } = settings
    const events: NewEvent[] = []
    const version = await nextVersion(connection, stream, stream)
    const next = () => ({ stream, version: version + events.length, index: null })
    if (timeZone !== before.timeZone)
      events.push({ type: 'CompanyTimeZoneChanged', ...next(), data: { from: before.timeZone, to: timeZone } })
    if (country !== before.country)
      events.push({ type: 'CompanyCountryChanged', ...next(), data: { from: before.country, to: country } })
    const columns = { time_zone: timeZone, country } satisfies Omit<CompanyRow, 'company_id' | 'name' | 'created_at'>
    if (events.length > 0)
      await db.updateTable('companies').set(columns).where('company_id', '=', toUuid(stream)).execute()
    return { events, result: { company: { ...before, timeZone, country } } }
  })
}
