import { fromUuid, toUuid } from '../../domain/ids.ts'
import type { LedgerDb, LedgerTables } from '../../ledger/tables.ts'

/** A company as shown to its administrators. */
export interface CompanyRecord {
  id: string
  name: string
  /** IANA name of the time zone in which its users see times. */
  timeZone: string
  /** RFC 3339 UTC. */
  createdAt: string
}

export type CompanyRow = Omit<LedgerTables['companies'], 'hash_key'>

/** Reads an existing company. */
export async function readCompany(db: LedgerDb, companyId: string): Promise<CompanyRecord> {
  const row = await db
    .selectFrom('companies')
    .select(['company_id', 'name', 'time_zone', 'created_at'])
    .where('company_id', '=', toUuid(companyId))
    .executeTakeFirstOrThrow()
  return toCompanyRecord(row)
}

/** Converts a row of `companies`. */
export function toCompanyRecord(row: CompanyRow): CompanyRecord {
  return { id: fromUuid('com', row.company_id), name: row.name, timeZone: row.time_zone, createdAt: row.created_at }
}
