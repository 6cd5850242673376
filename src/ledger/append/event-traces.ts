import { sql } from 'kysely'
import type { Pool } from 'pg'
import { toUuid } from '../../domain/ids.ts'
import { deleteInPieces } from '../../postgres/delete-in-pieces.ts'
import type { QueryClient } from '../../postgres/query-client.ts'
import type { LedgerDb } from '../tables.ts'

/*
 * The trace that the events of a call belong to. It is stored beside the events and not in them, because they are
 * hashed and permanent. It is written in the transaction of the append, so that whichever process folds the events
 * finds it, and only for traced calls.
 */

/** The trace of a call, at the position of its last event. */
export interface EventTrace {
  companyId: string
  position: number
  /** W3C `traceparent` of the span that appended it. */
  traceparent: string
  recordedAt: string
}

/** Stores the traces of calls, in the transaction that appends them. Ignores rows that already exist. */
export function insertTraces(client: QueryClient, traces: EventTrace[]): Promise<unknown> {
  const rows = traces.map(({ companyId, position, traceparent, recordedAt }) => ({
    c: toUuid(companyId),
    p: position,
    t: traceparent,
    r: recordedAt,
  }))
  return client.query({
    name: 'insert-event-traces',
    text: `insert into event_traces (company_id, position, traceparent, recorded_at)
      select c, p, t, r from json_to_recordset($1) as r(c uuid, p bigint, t text, r timestamptz)
      on conflict do nothing`,
    values: [JSON.stringify(rows)],
  })
}

/** The `traceparent` of the first `limit` traced calls that end in a range of positions. */
export async function readTraces(
  db: LedgerDb,
  companyId: string,
  { after, upTo, limit }: { after: number; upTo: number; limit: number },
): Promise<string[]> {
  const rows = await db
    .selectFrom('event_traces')
    .select('traceparent')
    .where('company_id', '=', toUuid(companyId))
    .where('position', '>', after)
    .where('position', '<=', upTo)
    .orderBy('position')
    .limit(limit)
    .execute()
  return rows.map(({ traceparent }) => traceparent)
}

/** Events that are folded later than this are folded without their trace. */
const KEPT_HOURS = 24

/** Deletes old traces, by the database's clock. Returns how many. */
export function forgetTraces(pool: Pool): Promise<number> {
  const isOld = sql`recorded_at < statement_timestamp() - make_interval(hours => ${KEPT_HOURS})`
  return deleteInPieces(pool, 'event_traces', ['company_id', 'position'], isOld, 'recorded_at')
}
