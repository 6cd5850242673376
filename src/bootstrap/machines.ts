import type { LedgerDb } from '../ledger/tables.ts'
import type { MachineAnswer } from '../observe/metrics/machine-metrics.ts'
import type { Machine } from '../postgres/machines.ts'
import { isLeftOver, listMachines, onMachine } from '../postgres/machines.ts'

/** A function that asks each machine of the cluster, also while the coordinator does not answer. */
export function machineAsker(db: LedgerDb, databaseUrl: string): () => Promise<MachineAnswer[]> {
  let known: Machine[] = []
  return async () => {
    known = await listMachines(db, databaseUrl).catch(() => known)
    return Promise.all(known.map(async (machine) => ({ name: machine.name, leftOver: await countLeftOver(machine) })))
  }
}

/** Null if the machine does not answer. */
function countLeftOver(machine: Machine): Promise<number | null> {
  return onMachine(machine, 'employee-ledger metrics', async (client) => {
    const { rows } = await client.query<{ count: number }>(
      `select count(*)::integer as count from pg_prepared_xacts where ${isLeftOver()}`,
    )
    return rows[0]!.count
  }).catch(() => null)
}
