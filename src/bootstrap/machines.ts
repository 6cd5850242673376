import type { LedgerDb } from '../ledger/tables.ts'
import type { MachineAnswer } from '../observe/metrics/machine-metrics.ts'
import { isLeftOver, listMachines, onMachine, type MachineAddress } from '../postgres/machine-address.ts'

/** Asks each machine of the cluster; there are none without one. */
export async function askMachines(db: LedgerDb, url: string): Promise<MachineAnswer[]> {
  const machines = await listMachines(db, url)
  return Promise.all(machines.map(async (machine) => ({ name: machine.name, leftOver: await countLeftOver(machine) })))
}

/** Null if the machine does not answer. */
function countLeftOver(machine: MachineAddress): Promise<number | null> {
  return onMachine(machine, 'employee-ledger metrics', async (client) => {
    const { rows } = await client.query<{ count: number }>(
      `select count(*)::integer as count from pg_prepared_xacts where ${isLeftOver()}`,
    )
    return rows[0]!.count
  }).catch(() => null)
}
