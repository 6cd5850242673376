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

/** The columns of `companies` that its administrators may see. */
export const COMPANY_COLUMNS = [
  'company_id',
  'name',
  'time_zone',
  'country',
  'created_at',
] as const satisfies (keyof LedgerTables['companies'])[]

export type CompanyRow = Pick<LedgerTables['companies'], (typeof COMPANY_COLUMNS)[number]>

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
