import { sql } from 'kysely'
import type { Pool } from 'pg'
import { bigint, integer, text, time, uuid, boolean, nullable } from '#projections/projection'
import { uuidArray } from '#postgres/binary-arrays'
import { deleteInPieces } from '#postgres/delete-in-pieces'
import { isOnly, onlyCompany, type QueryClient } from '#postgres/pool'
import { insertSent, sent, type SentColumns } from './sent-rows.ts'
import type { RejectedBody } from '#domain/calls/rejected-body'

/*
 * The valid records of calls that failed because of others, so that such a call can be corrected and sent whole. They are
 * written in the transaction of their call, and stored beside the events and not in them, so that they can be deleted.
 */

/** What is kept of a company's calls, the newest ones: a client that fails all day can't fill the database. */
const MAX_PARTS_OF_COMPANY = 2_000
export const MAX_BYTES_OF_COMPANY = 64 * 1_048_576

/** Some valid records of a call, at the position of the event that closes it: an object in JSON, by their indexes. */
interface ValidPart {
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

/*
 * The bodies of calls that could not be read. They are written in the transaction of their call, and stored beside the
 * events and not in them, so that they can be deleted.
 */

/** The bodies of a company that are kept, the newest ones: a client that fails all day can't fill the database. */
export const MAX_BODIES_OF_COMPANY = 1_000

/** The body of a call, at the position of the event that closes the call. */
interface NewRejectedBody {
  companyId: string
  position: number
  recordedAt: string
  body: RejectedBody
}

const BODY: SentColumns<NewRejectedBody> = {
  company_id: sent(uuid, ({ companyId }) => companyId),
  position: sent(bigint, ({ position }) => position),
  recorded_at: sent(time, ({ recordedAt }) => recordedAt),
  body: sent(text, ({ body }) => body.text),
  sent_bytes: sent(integer, ({ body }) => body.bytes),
  truncated: sent(boolean, ({ body }) => body.truncated),
  error_at: sent(nullable(integer), ({ body }) => body.error?.at ?? null),
  error_line: sent(nullable(integer), ({ body }) => body.error?.line ?? null),
  error_column: sent(nullable(integer), ({ body }) => body.error?.column ?? null),
}

/** Stores bodies, in the transaction that appends their calls, and deletes the oldest of a company with too many. */
export function insertBodies(client: QueryClient, bodies: readonly NewRejectedBody[]): Promise<unknown> {
  return Promise.all([
    client.query(insertSent('rejected_bodies', BODY, bodies)),
    client.query({
      name: 'prune-rejected-bodies',
      text: `delete from rejected_bodies b using (
          select company_id, (select k.position from rejected_bodies k
            where k.company_id = c.company_id and ${isOnly('k.company_id', '$2')}
              order by k.position desc offset ${MAX_BODIES_OF_COMPANY} limit 1) as position
          from unnest($1::uuid[]) as c(company_id)
        ) as surplus
        where b.company_id = surplus.company_id and b.position <= surplus.position and ${isOnly('b.company_id', '$2')}`,
      values: [uuidArray([...new Set(bodies.map(({ companyId }) => companyId))]), onlyCompany(bodies)],
    }),
  ])
}

/** Deletes bodies that are older than `days`, by the database's clock; 0 days keeps them. Returns how many. */
export async function deleteOldBodies(pool: Pool, days: number): Promise<number> {
  if (days === 0) return 0
  const isOld = sql`recorded_at < statement_timestamp() - make_interval(days => ${days})`
  return deleteInPieces(pool, 'rejected_bodies', ['company_id', 'position'], isOld, 'recorded_at')
}
