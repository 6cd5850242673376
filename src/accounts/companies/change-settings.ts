import type { ClientBase } from 'pg'
import type { NewEvent } from '../../domain/events.ts'
import { toUuid } from '../../domain/ids.ts'
import { nextVersion } from '../../ledger/append/append-company-events.ts'
import { COMPANY_COLUMNS, toCompanyRecord, type CompanyRecord, type CompanyRow } from './read-company.ts'
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
  const { companyId: stream } = acting
  const { result, position } = await changeCompany(services, acting, 'admin', async (client) => {
    const before = await loadCompany(client, stream)
    const { timeZone = before.timeZone, country = before.country } = settings
    const events: NewEvent[] = []
    const version = await nextVersion(client, stream, stream)
    const next = () => ({ stream, version: version + events.length, index: null })
    if (timeZone !== before.timeZone)
      events.push({ type: 'CompanyTimeZoneChanged', ...next(), data: { from: before.timeZone, to: timeZone } })
    if (country !== before.country)
      events.push({ type: 'CompanyCountryChanged', ...next(), data: { from: before.country, to: country } })
    if (events.length > 0) await updateSettings(client, stream, { timeZone, country })
    return { events, result: { ...before, timeZone, country } }
  })
  return { company: result, position }
}

/** Loads a company under the lock of its head. */
async function loadCompany(client: ClientBase, companyId: string): Promise<CompanyRecord> {
  const { rows } = await client.query<CompanyRow>(
    `select ${COMPANY_COLUMNS.join(', ')} from companies where company_id = $1`,
    [toUuid(companyId)],
  )
  if (!rows[0]) throw new Error(`the ledger of ${companyId} has no company`)
  return toCompanyRecord(rows[0])
}

/** Stores the settings under the lock of the head. */
async function updateSettings(
  client: ClientBase,
  companyId: string,
  { timeZone, country }: Pick<CompanyRecord, 'timeZone' | 'country'>,
): Promise<void> {
  await client.query('update companies set time_zone = $2, country = $3 where company_id = $1', [
    toUuid(companyId),
    timeZone,
    country,
  ])
}
