import type { LedgerDb } from '#ledger/tables'
import { isLeftOver, listMachines, onMachine, type MachineAddress } from '#postgres/machine-address'
import type { Metrics } from './metrics.ts'

/**
 * Reports on each machine of a cluster, for each scrape. Without a cluster, there are no values. `url` names the
 * coordinator.
 */
export function watchMachines({ makeGauge, lookUps }: Metrics, db: LedgerDb, url: string): void {
  const up = makeGauge('machine_up', 'Whether a machine of the cluster answers', ['machine'])
  const left = makeGauge('prepared_transactions_left', 'Prepared transactions older than a minute, which hold locks', [
    'machine',
  ])
  lookUps.push(async () => {
    const answers = await askMachines(db, url).catch(() => [])
    for (const one of [up, left]) one.reset()
    for (const { name: machine, leftOver } of answers) {
      up.set({ machine }, leftOver === null ? 0 : 1)
      if (leftOver !== null) left.set({ machine }, leftOver)
    }
  })
}

/** Asks each machine of the cluster for its prepared transactions that a crash has left: null if it does not answer. */
export async function askMachines(db: LedgerDb, url: string): Promise<{ name: string; leftOver: number | null }[]> {
  const machines = await listMachines(db, url)
  return Promise.all(machines.map(async (machine) => ({ name: machine.name, leftOver: await countLeftOver(machine) })))
}

function countLeftOver(machine: MachineAddress): Promise<number | null> {
  return onMachine(machine, 'employee-ledger metrics', async (client) => {
    const { rows } = await client.query<{ count: number }>(
      `select count(*)::integer as count from pg_prepared_xacts where ${isLeftOver()}`,
    )
    return rows[0]!.count
  }).catch(() => null)
}
