import type { ClientBase } from 'pg'
import { fromUuid, toUuid } from '#domain/ids'
import type { Queryable } from '#postgres/pool'

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

/** Small, because processing a page blocks the event loop. */
export const BODIES_PER_PAGE = 20

/** After all parts of a call. */
const MAX_PART = 2 ** 31 - 1

interface StoredBody {
  /** The position of the event that closes its call. */
  position: number
  /** The id of its call. */
  log_id: string
  body: string
}

/** The bodies of a company's calls after a position that could not be read, in order, page by page. */
export async function* readBodyPages(db: Queryable, companyId: string, after: number): AsyncGenerator<StoredBody[]> {
  for (let [last, isLast] = [after, false]; !isLast;) {
    const { rows } = await db.query<StoredBody>(
      `select b.position, e.stream_id as log_id, b.body from rejected_bodies b
       join events e on e.company_id = b.company_id and e.position = b.position
       where b.company_id = $1 and b.position > $2 order by b.position limit ${BODIES_PER_PAGE}`,
      [toUuid(companyId), last],
    )
    yield rows.map((row) => ({ ...row, log_id: fromUuid('log', row.log_id) }))
    last = rows.at(-1)?.position ?? last
    isLast = rows.length < BODIES_PER_PAGE
  }
}

/** The valid records of a company's failed calls after a position, in parts, in order, page by page. */
export async function* readValidPages(db: Queryable, companyId: string, after: number): AsyncGenerator<StoredBody[]> {
  for (let [last, part, isLast] = [after, MAX_PART, false]; !isLast;) {
    const { rows } = await db.query<StoredBody & { part: number }>(
      `select f.position, f.part, e.stream_id as log_id, f.records as body from failed_calls f
       join events e on e.company_id = f.company_id and e.position = f.position
       where f.company_id = $1 and (f.position, f.part) > ($2::bigint, $3::integer)
       order by f.position, f.part limit ${BODIES_PER_PAGE}`,
      [toUuid(companyId), last, part],
    )
    yield rows.map((row) => ({ ...row, log_id: fromUuid('log', row.log_id) }))
    last = rows.at(-1)?.position ?? last
    part = rows.at(-1)?.part ?? part
    isLast = rows.length < BODIES_PER_PAGE
  }
}
