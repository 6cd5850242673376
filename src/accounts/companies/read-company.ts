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
