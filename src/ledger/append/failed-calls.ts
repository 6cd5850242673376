import { sql } from 'kysely'
import type { Pool } from 'pg'
import { bigint, integer, text, time, uuid } from '#projections/columns'
import { uuidArray } from '#postgres/binary-arrays'
import { deleteInPieces } from '#postgres/delete-in-pieces'
import { isOnly, onlyCompany, type QueryClient } from '#postgres/query-client'
import { insertSent, sent, type SentColumns } from './sent-rows.ts'

/*
 * The valid records of calls that failed because of others, so that such a call can be corrected and sent whole. They are
 * written in the transaction of their call, and stored beside the events and not in them, so that they can be deleted.
 */

/** What is kept of a company's calls, the newest ones: a client that fails all day can't fill the database. */
export const MAX_PARTS_OF_COMPANY = 2_000
export const MAX_BYTES_OF_COMPANY = 64 * 1_048_576

/** Some valid records of a call, at the position of the event that closes it: an object in JSON, by their indexes. */
export interface ValidPart {
  companyId: string
  position: number
  part: number
  recordedAt: string
  records: string
}

const PART: SentColumns<ValidPart> = {
  company_id: sent(uuid, ({ companyId }) => companyId),
  position: sent(bigint, ({ position }) => position),
  part: sent(integer, ({ part }) => part),
  recorded_at: sent(time, ({ recordedAt }) => recordedAt),
  records: sent(text, ({ records }) => records),
  bytes: sent(integer, ({ records }) => Buffer.byteLength(records)),
}

/** Stores parts, in the transaction that appends their calls, and deletes the oldest calls of a company with too many. */
export function insertFailedCalls(client: QueryClient, parts: readonly ValidPart[]): Promise<unknown> {
  return Promise.all([
    client.query(insertSent('failed_calls', PART, parts)),
    client.query({
      name: 'prune-failed-calls',
      // The window has all parts of a call or none.
      text: `delete from failed_calls f using (
          select company_id, position, part, count(*) over newest as parts, sum(bytes) over newest as total
          from failed_calls where company_id = any($1::uuid[]) and ${isOnly('company_id', '$2')}
          window newest as (partition by company_id order by position desc)
        ) as kept
        where f.company_id = any($1::uuid[]) and ${isOnly('f.company_id', '$2')}
          and f.company_id = kept.company_id and f.position = kept.position
          and f.part = kept.part and (parts > ${MAX_PARTS_OF_COMPANY} or total > ${MAX_BYTES_OF_COMPANY})`,
      values: [uuidArray([...new Set(parts.map(({ companyId }) => companyId))]), onlyCompany(parts)],
    }),
  ])
}

/** Deletes what is older than `days`, by the database's clock. Returns how many parts. */
export async function deleteOldFailedCalls(pool: Pool, days: number): Promise<number> {
  const isOld = sql`recorded_at < statement_timestamp() - make_interval(days => ${days})`
  return deleteInPieces(pool, 'failed_calls', ['company_id', 'position', 'part'], isOld, 'recorded_at')
}
