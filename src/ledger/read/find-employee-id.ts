import { fromUuid, toUuid } from '#domain/ids'
import type { LedgerDb } from '../tables.ts'

/** Finds the id of the employee who has an email address (normalized) or an external id now; null if nobody has. */
export async function findEmployeeIdBy(
  db: LedgerDb,
  companyId: string,
  by: 'email' | 'external_id',
  value: string,
): Promise<string | null> {
  const row = await db
    .selectFrom('employee_directory')
    .select('employee_id')
    .where('company_id', '=', toUuid(companyId))
    .where(by, '=', value)
    .executeTakeFirst()
  return row ? fromUuid('emp', row.employee_id) : null
}
