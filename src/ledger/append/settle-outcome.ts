import type { Pool } from 'pg'
import { setTimeout as pause } from 'node:timers/promises'
import { toUuid } from '#domain/ids'
import { insertHead } from './company-state.ts'
import { UnavailableError } from '#admission/batcher'
import { UnconfirmedCommitError } from '#postgres/database-errors'
import { withClient } from '#postgres/pool'
import type { SealedEvent } from '../integrity/codec.ts'

const DEADLINE_MS = 10_000
const PAUSE_MS = 500

/** Identifies an event: the leaf hash covers a salt that no other event has. */
type SealedLeaf = Pick<SealedEvent, 'companyId' | 'leaf'> & { event: Pick<SealedEvent['event'], 'position'> }

/** COMMIT was sent and not answered, so it is not known whether the transaction took effect. */
export class UnknownOutcomeError<Result> extends UnconfirmedCommitError {
  override name = 'UnknownOutcomeError'
  /** The caller's result if it did. */
  readonly result: Result
  /** An event of the transaction, which is stored if it took effect; undefined when it appended none. */
  readonly event: SealedLeaf | undefined

  constructor(result: Result, event: SealedLeaf | undefined, cause: unknown) {
    super(cause)
    this.result = result
    this.event = event
  }
}

/**
 * Finds out whether a transaction whose COMMIT was not answered took effect, and resolves with its result if it did.
 * Needs a connection of the pool. Throws UnavailableError if it did not, or if that cannot be learned in time.
 */
export async function settleOutcome<Result>(pool: Pool, unknown: UnknownOutcomeError<Result>) {
  const { event, result } = unknown
  const deadline = performance.now() + (event ? DEADLINE_MS : 0)
  while (performance.now() < deadline) {
    const committed = await isStored(pool, event!).catch(() => null)
    if (committed === true) return result
    if (committed === false) throw new UnavailableError('the connection was lost before the commit', { cause: unknown })
    await pause(PAUSE_MS)
  }
  throw new UnavailableError('the outcome of the commit could not be learned', { cause: unknown })
}

/**
 * Looks for the event under the lock of its company's head, which waits for the old transaction to end. Another process
 * may have appended at this position meanwhile; its event has another leaf hash.
 */
async function isStored(pool: Pool, { companyId, event, leaf }: SealedLeaf) {
  return withClient(pool, async (client) => {
    await client.query('begin')
    // The old transaction may be the one that creates the head. This waits for that too, and is rolled back.
    await insertHead(client, companyId)
    await client.query('select 1 from heads where company_id = $1 for update', [toUuid(companyId)])
    const { rows } = await client.query(
      'select 1 from events where company_id = $1 and position = $2 and leaf_hash = $3',
      [toUuid(companyId), event.position, leaf],
    )
    await client.query('rollback')
    return rows.length > 0
  })
}
