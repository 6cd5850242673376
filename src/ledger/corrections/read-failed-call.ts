import { toUuid } from '../../domain/ids.ts'
import type { LedgerDb } from '../tables.ts'

/**
 * The valid records of the failed call that the event at a position closes, by their indexes. Empty if there are none, or
 * if they are not kept.
 */
export async function readValidRecords(
  db: LedgerDb,
  companyId: string,
  position: number,
): Promise<Map<number, unknown>> {
  const parts = await db
    .selectFrom('failed_calls')
    .select('records')
    .where('company_id', '=', toUuid(companyId))
    .where('position', '=', position)
    .orderBy('part')
    .execute()
  const members = parts.flatMap(({ records }) => Object.entries(JSON.parse(records) as Record<string, unknown>))
  return new Map(members.map(([index, record]) => [Number(index), record]))
}
