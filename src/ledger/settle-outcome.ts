import type { Pool } from 'pg'
import { setTimeout as pause } from 'node:timers/promises'
import { uuidArray } from './binary-arrays.ts'
import { UnavailableError } from './gather.ts'
import type { QueryClient } from './one-packet.ts'
import { BEGIN, inOnePacket, ROLLBACK } from './one-packet.ts'
import { shardOf } from './shards.ts'
import * as statements from './statements.ts'

const DEADLINE_MS = 10_000
const PAUSE_MS = 500

/**
 * Learns whether a transaction whose COMMIT was not answered took effect. The head is locked first: that waits for
 * the old transaction to end, whose events a look-up without the lock could miss while they are still on their way.
 * Resolves when it took effect; throws UnavailableError when it did not, or when that could not be learnt.
 */
export async function settleOutcome(
  pool: Pool,
  calls: { companyId: string; callId: string }[],
  cause: unknown,
): Promise<void> {
  const deadline = performance.now() + DEADLINE_MS
  while (performance.now() < deadline) {
    const committed = await wasCommitted(pool, calls).catch(() => undefined)
    if (committed === true) return
    if (committed === false) throw new UnavailableError('the connection was lost before the commit', { cause })
    await pause(PAUSE_MS)
  }
  throw new UnavailableError('the outcome of the commit could not be learnt', { cause })
}

/** One transaction holds them all, so one call that left an event behind speaks for all. */
async function wasCommitted(pool: Pool, calls: { companyId: string; callId: string }[]): Promise<boolean> {
  const client = await pool.connect()
  try {
    const [, , found] = await inOnePacket(client, (packet) =>
      Promise.all([
        packet.query(BEGIN),
        statements.lockHeads(packet, [...new Set(calls.map(({ companyId }) => companyId))], true),
        findAny(packet, calls),
        packet.query(ROLLBACK),
      ]),
    )
    client.release()
    return found
  } catch (error) {
    client.release(true)
    throw error
  }
}

async function findAny(client: QueryClient, calls: { companyId: string; callId: string }[]): Promise<boolean> {
  const shard = shardOf(client, calls[0]?.companyId)
  const { rows } = await client.query({
    name: 'find-calls',
    text: `select 1 from unnest($1::uuid[], $2::uuid[]) as wanted(company_id, call_id)
      join events e on e.company_id = wanted.company_id and e.stream_id = wanted.call_id and e.stream_version = 1${shard.and('e.company_id', 3)}
      limit 1`,
    values: [uuidArray(calls.map(({ companyId }) => companyId)), uuidArray(calls.map(({ callId }) => callId)), ...shard.values],
  })
  return rows.length > 0
}
