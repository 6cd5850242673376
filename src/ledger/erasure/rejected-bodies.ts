import { fromUuid, toUuid } from '#domain/ids'
import type { Queryable } from '#postgres/query-client'

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
