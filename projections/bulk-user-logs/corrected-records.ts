import { sql, type Transaction } from 'kysely'
import type { RecordedEvent } from '#domain/events'
import { fromUuid, toUuid } from '#domain/ids'
import { placeRecords } from './outcomes.ts'
import type { BulkUserLogTables } from './tables.ts'

/** The positions of the events that rejected records which calls among these events have corrected. */
export async function findCorrected(
  transaction: Transaction<unknown>,
  schema: string,
  companyId: string,
  events: readonly RecordedEvent[],
): Promise<number[]> {
  const found: number[] = []
  for (const event of events) {
    if (event.type !== 'ApiCallCompleted') continue
    const pairs = Object.entries(event.data?.corrected_records ?? {})
    if (pairs.length === 0) continue
    const calls = await placeRefused(transaction, schema, companyId, [event.stream, ...pairs.map(([id]) => id)])
    const notApplied = calls.get(event.stream)
    for (const [id, indexes] of pairs)
      for (const [own, corrected] of indexes) {
        const position = calls.get(id)?.get(corrected)
        if (position !== undefined && !notApplied?.has(own)) found.push(position)
      }
  }
  return found
}

/** The positions of the events that rejected records of calls, by the index of the record. */
async function placeRefused(
  transaction: Transaction<unknown>,
  schema: string,
  companyId: string,
  callIds: readonly string[],
): Promise<Map<string, Map<number, number>>> {
  const { rows } = await sql<Pick<BulkUserLogTables['entries'], 'call_id' | 'first_position' | 'outcomes' | 'status'>>`
    select call_id, first_position, outcomes, status from ${sql.id(schema, 'entries')}
    where company_id = ${toUuid(companyId)} and call_id = any(${callIds.map(toUuid)}::uuid[])
      and outcomes is not null`.execute(transaction)
  return new Map(
    rows.map(({ call_id: id, first_position: first, outcomes, status }) => {
      const refused = placeRecords(outcomes!, first, status === 'Failed').filter(({ isRefused }) => isRefused)
      return [fromUuid('log', id), new Map(refused.map((record) => [record.index, record.first!]))]
    }),
  )
}
