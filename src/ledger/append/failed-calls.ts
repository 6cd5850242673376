import { sql } from 'kysely'
import type { Pool } from 'pg'
import { bigint, integer, time, utf8, uuid } from '../../../projections/columns.ts'
import { uuidArray } from '../../postgres/binary-arrays.ts'
import { deleteInPieces } from '../../postgres/delete-in-pieces.ts'
import type { QueryClient } from '../../postgres/query-client.ts'
import { insertSent, sent, type SentColumns } from './sent-rows.ts'

/*
 * The valid records of calls that failed because of others, so that such a call can be corrected and sent whole. They are
 * written in the transaction of their call, and stored beside the events and not in them, so that they can be deleted.
 */

/** What is kept of a company's calls, the newest ones: a client that fails all day can't fill the database. */
export const MAX_FAILED_CALLS = 1_000
export const MAX_FAILED_BYTES = 64 * 1_048_576

/** The valid records of a call, at the position of the event that closes it: a list in JSON, with null for the others. */
export interface NewFailedCall {
  companyId: string
  position: number
  recordedAt: string
  records: Buffer
}

const CALL: SentColumns<NewFailedCall> = {
  company_id: sent(uuid, ({ companyId }) => companyId),
  position: sent(bigint, ({ position }) => position),
  recorded_at: sent(time, ({ recordedAt }) => recordedAt),
  records: sent(utf8, ({ records }) => records),
  bytes: sent(integer, ({ records }) => records.length),
}

/** Stores calls, in the transaction that appends them, and deletes the oldest of a company with too many. */
export function insertFailedCalls(client: QueryClient, calls: readonly NewFailedCall[]): Promise<unknown> {
  return Promise.all([
    client.query(insertSent('failed_calls', CALL, calls)),
    client.query({
      name: 'prune-failed-calls',
      text: `delete from failed_calls f using (
          select company_id, position, row_number() over newest as nth, sum(bytes) over newest as total
          from failed_calls where company_id = any($1::uuid[])
          window newest as (partition by company_id order by position desc)
        ) as kept
        where f.company_id = any($1::uuid[]) and f.company_id = kept.company_id and f.position = kept.position
          and (nth > ${MAX_FAILED_CALLS} or total > ${MAX_FAILED_BYTES})`,
      values: [uuidArray([...new Set(calls.map(({ companyId }) => companyId))])],
    }),
  ])
}

/** Deletes what is older than `days`, by the database's clock. Returns how many calls. */
export async function deleteOldFailedCalls(pool: Pool, days: number): Promise<number> {
  const isOld = sql`recorded_at < statement_timestamp() - make_interval(days => ${days})`
  return deleteInPieces(pool, 'failed_calls', ['company_id', 'position'], isOld, 'recorded_at')
}
