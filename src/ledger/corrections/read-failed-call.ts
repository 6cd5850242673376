import { inTurns } from '#admission/turns'
import { toUuid } from '#domain/ids'
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
  const valid = new Map<number, unknown>()
  for await (const { records } of inTurns(parts))
    for (const [index, record] of Object.entries(JSON.parse(records) as Record<string, unknown>))
      valid.set(Number(index), record)
  return valid
}

/** Whether the valid records of the failed call that the event at a position closes are kept. */
export async function areValidKept(db: LedgerDb, companyId: string, position: number): Promise<boolean> {
  const row = await db
    .selectFrom('failed_calls')
    .select('part')
    .where('company_id', '=', toUuid(companyId))
    .where('position', '=', position)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}
