import { follow, makeForMachines } from '../../postgres/cluster/machine-pools.ts'
import type { LaneOptions, Lanes } from './lanes.ts'
import { createLanes } from './lanes.ts'

export interface OpenLanes extends Lanes {
  /** Resolves once all calls have been answered. */
  idle(): Promise<void>
}

/**
 * Opens lanes for each database machine. Calls of companies of the same machine share transactions, and those in the
 * same shard share statements. If a company has moved on, its call is sent after it.
 */
export function createLanesOfMachines({ pool, ...options }: Omit<LaneOptions, 'shardOf'>): OpenLanes {
  const lanesOf = makeForMachines(pool, (machine) => createLanes({ ...options, ...machine }))
  const unanswered = new Set<Promise<unknown>>()
  return {
    async append(call) {
      const answer = follow(pool, call.companyId, () => lanesOf(call.companyId).append(call))
      unanswered.add(answer)
      try {
        return await answer
      } finally {
        unanswered.delete(answer)
      }
    },
    async idle() {
      while (unanswered.size > 0) await Promise.allSettled(unanswered)
    },
  }
}
