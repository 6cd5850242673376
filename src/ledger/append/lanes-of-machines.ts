import { follow, makeForMachines } from '../../postgres/cluster/machine-pools.ts'
import type { LaneOptions, Lanes } from './lanes.ts'
import { openLanes } from './lanes.ts'

/**
 * Opens lanes for each database machine. Calls of companies of the same machine share transactions, and those in the
 * same shard share statements. If a company has moved on, its call is sent after it.
 */
export function openLanesOfMachines({ pool, ...options }: Omit<LaneOptions, 'shardOf'>): Lanes {
  const machines = makeForMachines(pool, (machine) => openLanes({ ...options, ...machine }))
  return {
    append: (call) => follow(pool, call.companyId, () => machines.of(call.companyId).append(call)),
    async idle() {
      await Promise.all(machines.all().map((lanes) => lanes.idle()))
    },
  }
}
