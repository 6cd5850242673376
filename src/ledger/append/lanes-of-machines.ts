import { follow, openStations } from '../../postgres/cluster/stations.ts'
import type { LaneOptions, Lanes } from './lanes.ts'
import { openLanes } from './lanes.ts'

/**
 * Opens lanes for each database machine. Calls of companies of the same machine share transactions, and those in the
 * same shard share statements. If a company has moved on, its call is sent after it once.
 */
export function openLanesOfMachines({ pool, ...options }: Omit<LaneOptions, 'shardOf'>): Lanes {
  const stations = openStations(pool, (station) => openLanes({ ...options, ...station }))
  return {
    append: (call) => follow(pool, () => stations.of(call.companyId).append(call)),
    async idle() {
      await Promise.all(stations.all().map((lanes) => lanes.idle()))
    },
  }
}
