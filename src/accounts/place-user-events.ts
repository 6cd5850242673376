import type { UserEvent } from '../domain/accounts/user-lifecycle.ts'
import { fromUuid, toUuid } from '../domain/ids.ts'
import type { Queryable } from '../postgres/query-client.ts'
import type { Row } from '../ledger/tables.ts'

/** An event of a user that has no version yet. */
export type UnplacedEvent = {
  [Type in UserEvent['type']]: { userId: string; type: Type; data: Extract<UserEvent, { type: Type }>['data'] }
}[UserEvent['type']]

/**
 * Gives events that change nothing about their users the next versions in the streams of these, under the lock of the
 * company's head. The rows of the users get the versions too, because every other change continues from there.
 */
export async function placeUserEvents(
  client: Queryable,
  companyId: string,
  events: UnplacedEvent[],
): Promise<UserEvent[]> {
  const counts = [...Map.groupBy(events, ({ userId }) => userId)].map(([userId, { length }]) => {
    return { u: toUuid(userId), n: length }
  })
  const { rows } = await client.query<Row<'users', 'user_id' | 'version'>>(
    `update users as known set version = known.version + r.n from json_to_recordset($2) as r(u uuid, n integer)
     where known.company_id = $1 and known.user_id = r.u returning known.user_id, known.version - r.n as version`,
    [toUuid(companyId), JSON.stringify(counts)],
  )
  const versions = new Map(rows.map(({ user_id: userId, version }) => [fromUuid('usr', userId), version]))
  return events.map(({ userId, type, data }) => {
    const version = versions.get(userId)! + 1
    versions.set(userId, version)
    return { type, stream: userId, version, index: null, data } as UserEvent
  })
}
