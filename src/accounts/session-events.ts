import { sql, type RawBuilder } from 'kysely'
import type { SessionEndReason } from '#domain/accounts/roles'
import type { Acting } from './change-company.ts'
import type { NewEvent } from '#domain/events'
import { fromUuid, toUuid } from '#domain/ids'
import { onClient } from '#postgres/kysely'
import type { Queryable } from '#postgres/pool'
import type { Row } from '#ledger/tables'

/*
 * What becomes of sessions is in the ledger, but signing in and out never waits for the head of a company. The
 * transaction that starts or ends sessions writes a row beside the ledger, and `recordSessionEvents` appends its event.
 */

type StoredEvent = Extract<NewEvent, { type: 'UserSignedIn' | 'UserSignedOut' | 'UserSessionsEnded' }>

/** An event without its time, which the database's clock decides. */
export type SessionEvent = {
  [Type in StoredEvent['type']]: {
    userId: string
    type: Type
    data: Omit<Extract<StoredEvent, { type: Type }>['data'], 'at'>
  }
}[StoredEvent['type']]

/** Stores events that are to be appended, in the caller's transaction. */
export async function insertSessionEvents(
  client: Queryable,
  { companyId, actor, client: sender }: Acting,
  events: SessionEvent[],
) {
  if (events.length === 0) return
  const rows = events.map(({ userId, type, data }) => ({ u: toUuid(userId), t: type, d: data }))
  await client.query(
    `insert into session_events (company_id, event_id, user_id, type, data, actor, address, user_agent, happened_at)
     select $1, gen_random_uuid(), r.u, r.t, r.d, $2, $3, $4, clock_timestamp()
     from json_to_recordset($5) as r(u uuid, t text, d jsonb)`,
    [toUuid(companyId), actor, sender?.address || null, sender?.userAgent ?? null, JSON.stringify(rows)],
  )
}

/**
 * Ends the sessions of a company for which a condition on `sessions` holds, in the caller's transaction. Stores an
 * event for each user. Returns the number of sessions.
 */
export async function endSessions(
  client: Queryable,
  by: Acting,
  reason: SessionEndReason,
  condition: RawBuilder<unknown>,
) {
  const { rows } = await sql<Row<'sessions', 'user_id'>>`delete from sessions
    where company_id = ${toUuid(by.companyId)} and ${condition} returning user_id`.execute(onClient(client))
  const events = [...Map.groupBy(rows, (row) => row.user_id)].map(([userId, { length: count }]): SessionEvent => {
    return { userId: fromUuid('usr', userId), type: 'UserSessionsEnded', data: { reason, count } }
  })
  await insertSessionEvents(client, by, events)
  return rows.length
}
