import { toUuid } from '../../domain/ids.ts'
import type { LedgerDb } from '../tables.ts'

/**
 * The valid records of the failed call that the event at a position closes, by their indexes; those that were refused are
 * null. Null if they are not kept.
 */
export async function readFailedCall(
  db: LedgerDb,
  companyId: string,
  position: number,
): Promise<readonly unknown[] | null> {
  const row = await db
    .selectFrom('failed_calls')
    .select('records')
    .where('company_id', '=', toUuid(companyId))
    .where('position', '=', position)
    .executeTakeFirst()
  return row ? (JSON.parse(row.records) as unknown[]) : null
}

/** Whether the valid records of the failed call are kept. */
export async function isCallKept(db: LedgerDb, companyId: string, position: number): Promise<boolean> {
  const row = await db
    .selectFrom('failed_calls')
    .select('bytes')
    .where('company_id', '=', toUuid(companyId))
    .where('position', '=', position)
    .executeTakeFirst()
  return row !== undefined
}
