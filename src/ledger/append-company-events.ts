import type { ClientBase, Pool, PoolClient } from 'pg'
import { isErasing } from '../domain/erasure.ts'
import type { NewEvent } from '../domain/events.ts'
import { toUuid } from '../domain/ids.ts'
import { eraseNamedBy } from './erase-events.ts'
import { insertTraces } from './event-traces.ts'
import { headAt, placeEvents } from './place-events.ts'
import * as statements from './statements.ts'

/** Actor of what is done from the command line, where no user is signed in. */
export const OPERATOR = 'operator'

/** Actor of what the program does by itself, by its settings. */
export const SCHEDULE = 'schedule'

/** What was asked for contradicts what is stored; the message is for the user. */
export class RefusedChangeError extends Error {
  override name = 'RefusedChangeError'
}

/** What a change of a company comes to. Without events it has changed no row either. */
export interface CompanyChange<Result> {
  events: NewEvent[]
  result: Result
}

export interface AppendedChange<Result> {
  result: Result
  /** The position of its last event; null when it appended none. */
  position: number | null
}

/**
 * Appends events of a company itself: its registration, its users, its keys. `change` runs under the lock of the
 * company's head, writes the rows that go with the events, and gives the events; all is committed together or not at
 * all. An event that erases others takes effect there, too. Such changes are rare and travel alone; the calls of the
 * API share commits (lanes.ts).
 * With `isNew` the company's ledger is opened first.
 */
export async function appendCompanyEvents<Result>(
  pool: Pool,
  origin: { companyId: string; actor: string; isNew?: boolean; traceparent?: string | null },
  change: (client: PoolClient, now: string) => Promise<CompanyChange<Result>>,
): Promise<AppendedChange<Result>> {
  const { companyId, actor, traceparent } = origin
  const client = await pool.connect()
  try {
    await client.query('begin')
    if (origin.isNew) await openLedger(client, companyId)
    const [locked] = await statements.lockHeads(client, [companyId], true)
    if (!locked) throw new RefusedChangeError(`there is no company ${companyId}`)
    const now = headAt(locked, await statements.readClock(client))
    const { events, result } = await change(client, now.recordedAt)
    if (events.length === 0) {
      await client.query('rollback')
      client.release()
      return { result, position: null }
    }
    const { placed, head } = placeEvents(now, events, { callId: null, actor })
    await statements.insertEvents(client, placed)
    for (const { event, position } of placed) if (isErasing(event)) await eraseNamedBy(client, companyId, position)
    await statements.updateHeads(client, [head])
    if (traceparent) await insertTraces(client, [{ companyId, position: head.frontier.size, traceparent, recordedAt: head.recordedAt }])
    const { command } = await client.query('commit')
    if (command !== 'COMMIT') throw new Error('the transaction was rolled back instead of committed')
    client.release()
    return { result, position: head.frontier.size }
  } catch (error) {
    // A connection that cannot even roll back is not given to the next.
    const isBroken = await client.query('rollback').then(
      () => false,
      () => true,
    )
    client.release(isBroken)
    throw error
  }
}

async function openLedger(client: PoolClient, companyId: string): Promise<void> {
  await client.query(
    `insert into heads (company_id, position, frontier, recorded_at) values ($1, 0, '', clock_timestamp())`,
    [toUuid(companyId)],
  )
}

/** The version that the next event of a stream has; under the lock of the head. */
export async function nextVersion(client: ClientBase, companyId: string, stream: string): Promise<number> {
  const { rows } = await client.query<{ version: number }>(
    'select coalesce(max(stream_version), 0) + 1 as version from events where company_id = $1 and stream_id = $2',
    [toUuid(companyId), toUuid(stream)],
  )
  return rows[0]!.version
}
