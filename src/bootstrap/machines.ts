import type { MachineAnswer } from '../observe/metrics/machine-metrics.ts'
import type { Cluster } from '../postgres/cluster/cluster.ts'
import type { Machine } from '../postgres/cluster/machine.ts'
import { isLeftOver } from '../postgres/cluster/machine-address.ts'
import { withClient } from '../postgres/pool.ts'

const ASKING = { name: 'employee-ledger metrics', max: 1, statementTimeoutMs: 2_000 }

/** Asks each machine of the cluster. */
export function askMachines(cluster: Cluster, url: string): Promise<MachineAnswer[]> {
  return Promise.all(
    cluster.machines().map(async (machine) => ({ name: machine.name, leftOver: await countLeftOver(machine, url) })),
  )
}

/** Null if the machine does not answer. */
function countLeftOver(machine: Machine, url: string): Promise<number | null> {
  const connect = () => machine.connect({ ...ASKING, url })
  return withClient({ connect }, async (client) => {
    const { rows } = await client.query<{ count: number }>(
      `select count(*)::integer as count from pg_prepared_xacts where ${isLeftOver()}`,
    )
    return rows[0]!.count
  }).catch(() => null)
}
