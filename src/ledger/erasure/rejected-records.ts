import type { ClientBase } from 'pg'
import { fromUuid, toUuid } from '#domain/ids'
import type { Queryable } from '#postgres/query-client'

/*
 * Refused records and names of uploaded files that still have their data. Refused records are found by the partial index
 * in migrations/first-release/ledger.ts. Every statement must repeat its condition verbatim for PostgreSQL to use it.
 */

const IS_REJECTED = `data is not null and type = 'EmployeeRecordRejected'`

/** Names of files are outside of calls, so the index of those events leads to them. */
const IS_FILE_NAME = `call_id is null and data is not null and type = 'FileUploaded'`

/** Companies after an id whose oldest refused record or file name was recorded before an instant, ordered by id. */
export async function listCompaniesWithRejectedBefore(
  db: Queryable,
  instant: string,
  page: { after: string | null; limit: number },
): Promise<string[]> {
  const { rows } = await db.query<{ company_id: string }>(
    `select h.company_id from heads h cross join lateral (
       (select e.recorded_at from events e where e.company_id = h.company_id and ${IS_REJECTED}
         order by position limit 1)
       union all
       (select e.recorded_at from events e where e.company_id = h.company_id and ${IS_FILE_NAME}
         order by position limit 1)
     ) oldest
     where ($2::uuid is null or h.company_id > $2) and oldest.recorded_at < $1
     group by h.company_id order by h.company_id limit $3`,
    [instant, page.after === null ? null : toUuid(page.after), page.limit],
  )
  return rows.map((row) => fromUuid('com', row.company_id))
}

/** The positions of a company's oldest refused records and file names that were recorded before an instant, in order. */
export async function findRejectedBefore(
  client: ClientBase,
  companyId: string,
  instant: string,
  limit: number,
): Promise<number[]> {
  // Times never go back within a company, so the oldest records come first and at most `limit` rows are read.
  const { rows } = await client.query<{ position: number }>(
    `select position from (
       (select position, recorded_at from events where company_id = $1 and ${IS_REJECTED} order by position limit $3)
       union all
       (select position, recorded_at from events where company_id = $1 and ${IS_FILE_NAME} order by position limit $3)
     ) oldest where recorded_at < $2 order by position limit $3`,
    [toUuid(companyId), instant, limit],
  )
  return rows.map(({ position }) => position)
}
