import { LIMITS, type Answered } from '#http/server/access-log'
import type { Lanes } from '#ledger/append/lanes'
import type { Metrics, PoolCounts } from './metrics.ts'

/*
 * Counts start at 0 for each label that is known: `increase()` takes the first sample of a series as its base, so a
 * series that began with its first burst would hide that burst.
 */

/** Returns callbacks that count HTTP answers, refusals by limit, append transactions and erasures. */
export function countCalls(metrics: Metrics, pools: Record<string, PoolCounts>) {
  addPools(metrics, pools)
  const { httpSeconds, refusals, appendSeconds, appendCalls, appendRecords, erasures } = metrics
  for (const limit of LIMITS) refusals.inc({ limit }, 0)
  for (const of of ERASED) erasures.inc({ of }, 0)
  return {
    onAnswered({ method, route, status, seconds, limit }: Answered) {
      httpSeconds.observe({ method, route, status }, seconds)
      if (limit !== null) refusals.inc({ limit })
    },
    onErased: (of: (typeof ERASED)[number]) => erasures.inc({ of }),
    onTransaction(calls: number, records: number, seconds: number) {
      appendSeconds.observe(seconds)
      appendCalls.observe(calls)
      appendRecords.observe(records)
    },
  }
}

const ERASED = ['employee', 'user'] as const

/** Wraps lanes to count the calls that they have accepted but not answered. */
export function countPending({ appendsPending }: Metrics, lanes: Lanes): Lanes {
  return {
    ...lanes,
    append(call) {
      appendsPending.inc()
      return lanes.append(call).finally(() => appendsPending.dec())
    },
  }
}

/** Returns callbacks that count the work of the workers on these projections. */
export function countWork(
  metrics: Metrics,
  pools: Record<string, PoolCounts>,
  projections: readonly { name: string }[],
) {
  addPools(metrics, pools)
  const { answersExpired, recordsRetired, foldSeconds, foldFailures } = metrics
  for (const { name: projection } of projections) {
    foldSeconds.zero({ projection })
    foldFailures.inc({ projection }, 0)
  }
  return {
    onExpired: (count: number) => answersExpired.inc(count),
    onRetired: (count: number) => recordsRetired.inc(count),
    onFolded: (projection: string, seconds: number) => foldSeconds.observe({ projection }, seconds),
    onUnfoldable: (projection: string) => foldFailures.inc({ projection }),
  }
}

/** Returns callbacks that count attempts to deliver messages to webhooks. */
export function countDeliveries({ deliverySeconds }: Pick<Metrics, 'deliverySeconds'>) {
  for (const result of ['delivered', 'failed']) deliverySeconds.zero({ result })
  return {
    onAttempt: (isDelivered: boolean, seconds: number) =>
      deliverySeconds.observe({ result: isDelivered ? 'delivered' : 'failed' }, seconds),
  }
}

function addPools({ pools }: Metrics, more: Record<string, PoolCounts>) {
  for (const [name, pool] of Object.entries(more)) pools.set(name, pool)
}
