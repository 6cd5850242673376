import { sql } from 'kysely'
import type { Pool } from 'pg'
import { bigint, text, time, uuid } from '#projections/columns'
import { toUuid } from '#domain/ids'
import { deleteInPieces } from '#postgres/delete-in-pieces'
import type { QueryClient } from '#postgres/pool'
import type { LedgerDb } from '../tables.ts'
import { insertSent, sent, type SentColumns } from './sent-rows.ts'

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

const TRACE: SentColumns<EventTrace> = {
  company_id: sent(uuid, ({ companyId }) => companyId),
  position: sent(bigint, ({ position }) => position),
  traceparent: sent(text, ({ traceparent }) => traceparent),
  recorded_at: sent(time, ({ recordedAt }) => recordedAt),
}

/** Stores the traces of calls, in the transaction that appends them. Ignores rows that already exist. */
export function insertTraces(client: QueryClient, traces: EventTrace[]): Promise<unknown> {
  return client.query(insertSent('event_traces', TRACE, traces, 'on conflict do nothing'))
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
