import { fromUuid, toUuid } from '../../domain/ids.ts'
import type { LedgerDb, LedgerTables } from '../../ledger/tables.ts'

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

export const COMPANY_COLUMNS = Object.keys({
  company_id: true,
  name: true,
  time_zone: true,
  country: true,
  created_at: true,
} satisfies Record<keyof CompanyRow, true>) as (keyof CompanyRow)[]

/** Reads an existing company. */
export async function readCompany(db: LedgerDb, companyId: string): Promise<CompanyRecord> {
  const row = await db
    .selectFrom('companies')
    .select(COMPANY_COLUMNS)
    .where('company_id', '=', toUuid(companyId))
    .executeTakeFirstOrThrow()
  return toCompanyRecord(row)
}

/** Converts a row of `companies`. */
export function toCompanyRecord(row: CompanyRow): CompanyRecord {
  const { company_id: uuid, name, time_zone: timeZone, country, created_at: createdAt } = row
  return { id: fromUuid('com', uuid), name, timeZone, country, createdAt }
}
