import { setTimeout as pause } from 'node:timers/promises'
import type { ClientBase, Pool } from 'pg'
import type { Client } from '#domain/call-sources'
import type { NewEvent } from '#domain/events'
import { fromUuid, toUuid } from '#domain/ids'
import { appendCompanyEvents } from '#ledger/append/append-company-events'
import type { LedgerTables, Row } from '#ledger/tables'
import type { UserEvent } from '#domain/accounts/user-lifecycle'
import type { Queryable } from '#postgres/pool'

interface RecordingServices {
  pool: Pool
  /** Called with companies that have new events. */
  onCommitted?(companyIds: string[]): void
}

/** How long someone who signs in waits for the events to be appended, in milliseconds. */
const WAIT_MS = 500

/**
 * Appends what has become of a company's sessions. Returns when it is done, but not later than after half a second: if
 * the ledger is busy, or can't be written, the events follow later, at the latest on the schedule.
 */
export async function recordSessionEvents(services: RecordingServices, companyId: string): Promise<void> {
  const waiting = new AbortController()
  const { signal } = waiting
  const isOver = pause(WAIT_MS, undefined, { signal, ref: false }).catch(() => undefined)
  await Promise.race([appendSessionEvents(services, companyId).catch(() => undefined), isOver])
  waiting.abort()
}

interface Recording {
  isAskedAgain: boolean
  done: Promise<void>
}

/** Of each pool, the companies whose events are being appended. */
const recordings = new WeakMap<Pool, Map<string, Recording>>()

/**
 * Appends what has become of a company's sessions, each event once, however many processes do so. In a process, one at a
 * time does: many sign-ins don't fill the line in which the company's changes wait. Throws UnavailableError.
 */
export function appendSessionEvents(services: RecordingServices, companyId: string) {
  const { pool } = services
  const ofPool = recordings.get(pool) ?? new Map<string, Recording>()
  recordings.set(pool, ofPool)
  const running = ofPool.get(companyId)
  if (running) {
    running.isAskedAgain = true
    return running.done
  }
  const recording: Recording = { isAskedAgain: false, done: Promise.resolve() }
  ofPool.set(companyId, recording)
  recording.done = appendAll(services, companyId, recording, () => ofPool.delete(companyId))
  return recording.done
}

async function appendAll(services: RecordingServices, companyId: string, recording: Recording, end: () => void) {
  try {
    do {
      recording.isAskedAgain = false
      let origin: Origin | null
      while ((origin = await findFirstOrigin(services.pool, companyId)) !== null)
        await appendOf(services, companyId, origin)
    } while (recording.isAskedAgain)
  } finally {
    end()
  }
}

/** Who caused events, and from where. */
type Origin = Row<'session_events', 'actor' | 'address' | 'user_agent'>

async function findFirstOrigin(pool: Pool, companyId: string) {
  const { rows } = await pool.query<Origin>(
    `select actor, address, user_agent from session_events where company_id = $1
     order by happened_at, event_id limit 1`,
    [toUuid(companyId)],
  )
  return rows[0] ?? null
}

/** Appends the first events, if they still have this origin. */
async function appendOf({ pool, onCommitted }: RecordingServices, companyId: string, origin: Origin) {
  const { actor, address, user_agent: userAgent } = origin
  const client: Client | undefined = address === null ? undefined : { address, userAgent }
  const { position } = await appendCompanyEvents(pool, { companyId, actor, client }, async (transaction) => ({
    events: await takeEvents(transaction, companyId, origin),
    result: null,
  }))
  if (position !== null) onCommitted?.([companyId])
}

/** Events that are appended at once. */
const AT_ONCE = 200

type SessionEventRow = Omit<LedgerTables['session_events'], 'company_id'>

/** Takes the first events that have this origin, under the lock of the company's head. */
async function takeEvents(client: ClientBase, companyId: string, origin: Origin): Promise<NewEvent[]> {
  const { rows } = await client.query<SessionEventRow>(
    `select event_id, user_id, type, data, actor, address, user_agent, happened_at from session_events
     where company_id = $1 order by happened_at, event_id limit ${AT_ONCE}`,
    [toUuid(companyId)],
  )
  const end = rows.findIndex((row) => !isSameOrigin(row, origin))
  const selectedRows = end === -1 ? rows : rows.slice(0, end)
  if (selectedRows.length === 0) return []
  await client.query('delete from session_events where company_id = $1 and event_id = any($2)', [
    toUuid(companyId),
    selectedRows.map((row) => row.event_id),
  ])
  const events = selectedRows.map((row) => ({
    userId: fromUuid('usr', row.user_id),
    type: row.type,
    data: { ...row.data, at: row.happened_at },
  }))
  return placeUserEvents(client, companyId, events as UnplacedEvent[])
}

function isSameOrigin(one: Origin, other: Origin) {
  return one.actor === other.actor && one.address === other.address && one.user_agent === other.user_agent
}

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
