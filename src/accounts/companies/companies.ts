import { fromUuid, toUuid } from '#domain/ids'
import type { LedgerDb, LedgerTables } from '#ledger/tables'
import { sql } from 'kysely'
import { appendCompanyEvents, OPERATOR, nextVersion } from '#ledger/append/append-company-events'
import { onClient } from '#postgres/kysely'
import { type CompanyServices, changeCompany, type Acting } from '../change-company.ts'
import type { NewEvent } from '#domain/events'

/** A company as shown to its administrators. */
export interface CompanyRecord {
  id: string
  name: string
  /** IANA name of the time zone in which its users see times. */
  timeZone: string
  /** ISO 3166-1 alpha-2 code of the country in which local phone numbers are read. */
  country: string | null
  /** RFC 3339 UTC. */
  createdAt: string
}

/** A row of `companies` without what its administrators may not see. */
export type CompanyRow = Omit<LedgerTables['companies'], 'hash_key'>

/** Reads an existing company. */
export async function readCompany(db: LedgerDb, companyId: string): Promise<CompanyRecord> {
  const row = await db
    .selectFrom('companies')
    .select(['company_id', 'name', 'time_zone as timeZone', 'country', 'created_at as createdAt'])
    .where('company_id', '=', toUuid(companyId))
    .executeTakeFirstOrThrow()
  const { company_id: uuid, ...company } = row
  return { id: fromUuid('com', uuid), ...company }
}

/** Registers a company and opens its ledger. Returns its id. */
export async function registerCompany({ pool, newId }: CompanyServices, name: string): Promise<string> {
  const companyId = newId('com')
  await appendCompanyEvents(pool, { companyId, actor: OPERATOR, isNew: true }, async (client, now) => {
    await sql`insert into companies (company_id, name, created_at)
      values (${toUuid(companyId)}, ${name}, ${now})`.execute(onClient(client))
    const place = { stream: companyId, version: 1, index: null }
    return { events: [{ ...place, type: 'CompanyRegistered', data: { name } }], result: null }
  })
  return companyId
}

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

/** Gives a company another name. The position is null if it has that name. */
export async function renameCompany(
  services: CompanyServices,
  acting: Acting,
  name: string,
): Promise<{ company: CompanyRecord; position: number | null }> {
  return changeCompany(services, acting, 'admin', async ({ connection, db, companyId: stream }) => {
    const before = await readCompany(db, stream)
    const result = { company: { ...before, name } }
    if (name === before.name) return { events: [], result }
    const version = await nextVersion(connection, stream, stream)
    await db.updateTable('companies').set({ name }).where('company_id', '=', toUuid(stream)).execute()
    const data = { from: before.name, to: name }
    return { events: [{ type: 'CompanyRenamed', stream, version, index: null, data }], result }
  })
}
