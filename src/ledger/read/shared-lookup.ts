import type { Pool } from 'pg'
import { gather } from '../../admission/batcher.ts'
import { createBudget } from '../../admission/budget.ts'
import type { MachinePool } from '../../postgres/cluster/machine-pools.ts'
import { byShard, follow, makeForMachines } from '../../postgres/cluster/machine-pools.ts'
import { pipeline, pipeOnShard } from '../../postgres/pipeline.ts'
import type { QueryClient } from '../../postgres/query-client.ts'
import { retryOnce } from '../../postgres/database-errors.ts'
import { assertShardsHere } from '../../postgres/shard.ts'
import { withClient } from '../../postgres/pool.ts'

const MAX_SHARED = 500
const MAX_WAITING = 10_000
const MAX_WAIT_MS = 10_000
/** Bounds of a batch of look-ups, or of counts, on one machine. */
export const LOOKUP_BATCH = { maxWeight: MAX_SHARED, weightOf: () => 1, maxWaitMs: MAX_WAIT_MS }
/** Bounds of the look-ups, or counts, that one machine takes on. Beyond a quarter of them, one holder must wait. */
export const LOOKUP_BUDGET = { total: MAX_WAITING, maxWaiting: MAX_WAITING, maxWaitMs: MAX_WAIT_MS }

interface LookupOptions<Wanted, Found> {
  /** Holders take turns. */
  holderOf(wanted: Wanted): string
  /** Finds what is wanted, in one statement: an answer for each, in order. */
  find(client: QueryClient, wanted: Wanted[]): Promise<(Found | null)[]>
}

/** Looks up by key, in one statement for all look-ups that arrive together. Caches nothing. */
export function createSharedLookup<Wanted extends { companyId: string }, Found>(
  pool: Pool,
  options: LookupOptions<Wanted, Found>,
): (wanted: Wanted) => Promise<Found | null> {
  const lookUpFor = makeForMachines(pool, (machine) => lookUpOn(machine, options))
  return (wanted) => follow(pool, wanted.companyId, () => lookUpFor(wanted.companyId)(wanted))
}

function lookUpOn<Wanted extends { companyId: string }, Found>(
  machine: MachinePool,
  { holderOf, find }: LookupOptions<Wanted, Found>,
): (wanted: Wanted) => Promise<Found | null> {
  const room = createBudget(LOOKUP_BUDGET)
  const { submit } = gather<Wanted, Found | null>(
    async (batch) => {
      const parts = byShard(machine, batch)
      const shards = parts.flatMap(([shard]) => shard ?? [])
      const [, ...answers] = await retryOnce(() =>
        withClient(machine.pool, (client) =>
          pipeline(client, (pipe) => {
            const finding = parts.map(([shard, part]) => find(pipeOnShard(pipe, shard), part))
            return Promise.all([shards.length > 0 ? assertShardsHere(pipe, shards) : null, ...finding])
          }),
        ),
      )
      const found = new Map(
        parts.flatMap(([, part], at) => part.map((wanted, index) => [wanted, answers[at]![index]!])),
      )
      return batch.map((wanted) => found.get(wanted) ?? null)
    },
    { ...LOOKUP_BATCH, holderOf },
  )
  return (wanted) => room.hold(holderOf(wanted), 1, undefined, () => submit(wanted))
}
