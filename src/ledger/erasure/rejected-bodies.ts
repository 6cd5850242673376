import type { ClientBase } from 'pg'
import { fromUuid, toUuid } from '../../domain/ids.ts'
import { bigintArray } from '../../postgres/binary-arrays.ts'
import type { Queryable } from '../../postgres/query-client.ts'

/** Small, because processing a page blocks the event loop. */
const BODIES_PER_PAGE = 20

interface StoredBody {
  /** The position of the event that closes its call. */
  position: number
  recorded_at: string
  /** The id of its call. */
  log_id: string
  body: string
}

/**
 * The bodies of a company's calls that could not be read, in order, page by page: those after a position, and of these
 * only the ones at certain positions, if given.
 */
export async function* readBodyPages(
  db: Queryable,
  companyId: string,
  { after = 0, only }: { after?: number; only?: readonly number[] },
): AsyncGenerator<StoredBody[]> {
  for (let isLast = false; !isLast;) {
    const { rows } = await db.query<StoredBody>(
      `select b.position, b.recorded_at, e.stream_id as log_id, b.body from rejected_bodies b
       join events e on e.company_id = b.company_id and e.position = b.position
       where b.company_id = $1 and b.position > $2 and ($3::bigint[] is null or b.position = any($3))
       order by b.position limit ${BODIES_PER_PAGE}`,
      [toUuid(companyId), after, only ? bigintArray(only) : null],
    )
    yield rows.map((row) => ({ ...row, log_id: fromUuid('log', row.log_id) }))
    after = rows.at(-1)?.position ?? after
    isLast = rows.length < BODIES_PER_PAGE
  }
}

/** Deletes the bodies of the calls that end at these positions. */
export async function deleteBodies(client: ClientBase, companyId: string, positions: readonly number[]): Promise<void> {
  await client.query('delete from rejected_bodies where company_id = $1 and position = any($2::bigint[])', [
    toUuid(companyId),
    bigintArray(positions),
  ])
}
