import type { ClientBase, Pool, PoolClient } from 'pg'
import { createBudget, quarterOf, type Budget } from '#admission/budget'
import { isErasing } from '#domain/event-types'
import type { NewEvent } from '#domain/events'
import { toUuid } from '#domain/ids'
import { insertHead, headAt, placeEvents } from './company-state.ts'
import { isTransient, meansNotCommitted } from '#postgres/database-errors'
import { holdCompany } from '#postgres/pool'
import { eraseNamedBy } from '../erasure/erase-events.ts'
import type { SealedEvent } from '../integrity/codec.ts'
import type { Client } from '#domain/call-sources'
import { registerOf, writeClients, type ClientRegister, insertTraces } from './actor-clients.ts'
import { settleOutcome, UnknownOutcomeError } from './settle-outcome.ts'
import * as statements from './statements.ts'

/** The actor of changes made on the command line, where no user is signed in. */
export const OPERATOR = 'operator'

/** The actor of changes that the program makes on a schedule. */
export const SCHEDULE = 'schedule'

/** A change contradicts the stored state. The message is for the user. */
export class RefusedChangeError extends Error {
  override name = 'RefusedChangeError'
}

/** The outcome of a change of a company. A change without events changes no rows either. */
export interface CompanyChange<Result> {
  events: NewEvent[]
  result: Result
}

interface AppendedChange<Result> {
  result: Result
  /** The position of its last event; null when it appended none. */
  position: number | null
}

/**
 * Appends events about a company itself: its registration, its users, its keys. `change` runs under the lock of the
 * company's head, writes the rows that belong to the events, and returns the events; all of it commits together. An
 * event that erases others takes effect in the same transaction. Such changes are rare and each has a transaction of
 * its own; API calls share theirs (lanes.ts). The changes of a company wait for one another without a connection. With
 * `isNew`, the company's ledger is opened first.
 *
 * If the connection is lost during COMMIT, the ledger is asked whether the change took effect. Throws UnavailableError
 * if it did not, or if that cannot be learned, and NoTurnError if too many changes wait or it waited too long.
 */
export async function appendCompanyEvents<Result>(
  pool: Pool,
  origin: CompanyOrigin,
  change: (client: PoolClient, now: string) => Promise<CompanyChange<Result>>,
): Promise<AppendedChange<Result>> {
  return lineOf(pool).hold(origin.companyId, 1, undefined, () => appendOnConnection(pool, origin, change))
}

/** Changes of a company that may wait, at most a quarter of these; and how long, in milliseconds. */
const MAX_WAITING = 1_000
const MAX_WAIT_MS = 10_000

/** Of each pool, the lines in which changes wait without a connection. */
const lines = new WeakMap<Pool, Budget>()

/**
 * A company makes one change at a time, because each locks the company's head. All of them together use a quarter of the
 * connections at most: if the heads of some companies are held for long, connections remain for reads.
 */
function lineOf(pool: Pool): Budget {
  const line =
    lines.get(pool) ??
    createBudget({ total: quarterOf(pool.options.max), share: 1, maxWaiting: MAX_WAITING, maxWaitMs: MAX_WAIT_MS })
  lines.set(pool, line)
  return line
}

async function appendOnConnection<Result>(
  pool: Pool,
  origin: CompanyOrigin,
  change: (client: PoolClient, now: string) => Promise<CompanyChange<Result>>,
) {
  const client = await pool.connect()
  try {
    await client.query('begin')
    const { placed, ...appended } = await writeChange(client, origin, registerOf(pool), change)
    if (placed.length === 0) await client.query('rollback')
    else await commit(client, appended, placed)
    client.release()
    return appended
  } catch (error) {
    const isUnknown = error instanceof UnknownOutcomeError
    // A connection that cannot roll back is not reused.
    client.release(isUnknown || isTransient(error) || !(await canRollBack(client)))
    if (!isUnknown) throw error
    return settleOutcome(pool, error as UnknownOutcomeError<AppendedChange<Result>>)
  }
}

interface CompanyOrigin {
  companyId: string
  actor: string
  isNew?: boolean
  traceparent?: string | null
  /** From where the request was sent; absent if there was no request. */
  client?: Client | undefined
}

async function writeChange<Result>(
  client: PoolClient,
  { companyId, actor, isNew, traceparent, client: sender }: CompanyOrigin,
  clients: ClientRegister,
  change: (client: PoolClient, now: string) => Promise<CompanyChange<Result>>,
): Promise<AppendedChange<Result> & { placed: SealedEvent[] }> {
  if (isNew) await insertHead(client, companyId)
  await client.query(holdCompany(companyId))
  const [locked] = await statements.lockHeads(client, [companyId], 'wait')
  if (!locked) throw new RefusedChangeError(`there is no company ${companyId}`)
  const now = headAt(locked, await statements.readClock(client))
  const { events, result } = await change(client, now.recordedAt)
  if (events.length === 0) return { result, position: null, placed: [] }
  const sentBy = sender ? clients.find({ companyId, actorId: actor }, sender, now.recordedAt) : null
  const { placed, head } = placeEvents(now, events, { callId: null, actor, clientId: sentBy?.clientId ?? null })
  await statements.insertEvents(client, placed)
  for (const { event } of placed) if (isErasing(event)) await eraseNamedBy(client, companyId, event.position)
  await statements.updateHeads(client, [head])
  if (sentBy) await writeClients(client, [[sentBy, now.recordedAt]])
  const position = head.frontier.size
  if (traceparent) await insertTraces(client, [{ companyId, position, traceparent, recordedAt: head.recordedAt }])
  return { result, position, placed }
}

async function commit(client: PoolClient, result: unknown, placed: SealedEvent[]) {
  const { command } = await client.query('commit').catch((error: unknown) => {
    throw meansNotCommitted(error) ? error : new UnknownOutcomeError(result, placed[0], error)
  })
  if (command !== 'COMMIT') throw new Error('the transaction was rolled back instead of committed')
}

function canRollBack(client: PoolClient) {
  return client.query('rollback').then(
    () => true,
    () => false,
  )
}

/** Returns the version of the next event of a stream. Call it under the lock of the head. */
export async function nextVersion(client: ClientBase, companyId: string, stream: string): Promise<number> {
  const { rows } = await client.query<{ version: number }>(
    'select coalesce(max(stream_version), 0) + 1 as version from events where company_id = $1 and stream_id = $2',
    [toUuid(companyId), toUuid(stream)],
  )
  return rows[0]!.version
}
