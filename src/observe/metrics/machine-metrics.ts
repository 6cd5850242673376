import { Gauge } from 'prom-client'
import type { Metrics } from './metrics.ts'

/** What a machine of a cluster answered. */
export interface MachineAnswer {
  name: string
  /** Its prepared transactions that a crash has left; null if it does not answer. */
  leftOver: number | null
}

/** Reports on each machine of a cluster, for each scrape. Without a cluster, there are no values. */
export function watchMachines({ registry, lookUps }: Metrics, askMachines: () => Promise<MachineAnswer[]>): void {
  const gauge = (name: string, help: string) =>
    new Gauge({ name: `employee_ledger_${name}`, help, labelNames: ['machine'], registers: [registry] })
  const up = gauge('machine_up', 'Whether a machine of the cluster answers')
  const left = gauge('prepared_transactions_left', 'Prepared transactions older than a minute, which hold locks')
  lookUps.push(async () => {
    const answers = await askMachines().catch(() => [])
    for (const one of [up, left]) one.reset()
    for (const { name: machine, leftOver } of answers) {
      up.set({ machine }, leftOver === null ? 0 : 1)
      if (leftOver !== null) left.set({ machine }, leftOver)
    }
  })
}
