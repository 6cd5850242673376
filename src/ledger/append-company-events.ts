import type { Pool, PoolClient } from 'pg'
import type { NewEvent } from '../domain/events.ts'
import { toUuid } from '../domain/ids.ts'
import { headAt, placeEvents } from './place-events.ts'
import * as statements from './statements.ts'

/** Actor of what is done from the command line, where no user is signed in. */
export const OPERATOR = 'operator'

/** What was asked for contradicts what is stored; the message is for the user. */
export class RefusedChangeError extends Error {
  override name = 'RefusedChangeError'
}

/**
 * Appends events of a company itself: its registration, its users, its keys. `change` runs under the lock of the
 * company's head, writes the rows that go with the events, and returns the events; all is committed together or not at
 * all. Such changes are rare and travel alone; the calls of the API share commits (lanes.ts).
 * With `isNew` the company's ledger is opened first.
 */
export async function appendCompanyEvents(
  pool: Pool,
  origin: { companyId: string; actor: string; isNew?: boolean },
  change: (client: PoolClient, now: string) => Promise<NewEvent[]>,
): Promise<void> {
  const { companyId, actor } = origin
  const client = await pool.connect()
  try {
    await client.query('begin')
    if (origin.isNew) await openLedger(client, companyId)
    const [locked] = await statements.lockHeads(client, [companyId], true)
    if (!locked) throw new RefusedChangeError(`there is no company ${companyId}`)
    const now = headAt(locked, await statements.readClock(client))
    const events = await change(client, now.recordedAt)
    const { placed, head } = placeEvents(now, events, { callId: null, actor })
    await statements.insertEvents(client, placed)
    await statements.updateHeads(client, [head])
    const { command } = await client.query('commit')
    if (command !== 'COMMIT') throw new Error('the transaction was rolled back instead of committed')
    client.release()
  } catch (error) {
    await client.query('rollback').catch(() => undefined)
    client.release(true)
    throw error
  }
}

async function openLedger(client: PoolClient, companyId: string): Promise<void> {
  await client.query(
    `insert into heads (company_id, position, frontier, recorded_at) values ($1, 0, '', clock_timestamp())`,
    [toUuid(companyId)],
  )
}
