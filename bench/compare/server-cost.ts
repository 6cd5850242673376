import type { Cpu } from '../processes/cpu-time.ts'
import { startCpu } from '../processes/cpu-time.ts'
import { formatNumber, formatTable } from './markdown.ts'
import type { BenchServer } from '../processes/postgres.ts'

/** The resources that calls use: processor time of the service and of PostgreSQL, write-ahead log, and table space. */
interface Cost extends Cpu {
  walBytes: number
  tableBytes: number
}

/** Starts a measurement. Returns a function that returns the resources used since. */
export async function startCost(server: BenchServer, database: string, pid: number): Promise<() => Promise<Cost>> {
  const readSizes = async () => {
    const [sizes] = await server.run<{ wal: string; tables: string }>(
      `select pg_current_wal_lsn() - '0/0'::pg_lsn as wal, pg_database_size('${database}') as tables`,
    )
    return { walBytes: Number(sizes!.wal), tableBytes: Number(sizes!.tables) }
  }
  const endCpu = await startCpu(server, pid)
  const before = await readSizes()
  return async () => {
    const { serviceSeconds, postgresSeconds } = await endCpu()
    const after = await readSizes()
    return {
      serviceSeconds,
      postgresSeconds,
      walBytes: after.walBytes - before.walBytes,
      tableBytes: after.tableBytes - before.tableBytes,
    }
  }
}

export function formatCostTable(cost: Cost, calls: number): string {
  const million = (value: number) => (value / calls) * 1_000_000
  return formatTable(
    ['for each million calls', 'service, CPU s', 'PostgreSQL, CPU s', 'write-ahead log, GB', 'tables, GB'],
    [
      [
        `${calls} measured`,
        formatNumber(million(cost.serviceSeconds)),
        formatNumber(million(cost.postgresSeconds)),
        gigabytes(million(cost.walBytes)),
        gigabytes(million(cost.tableBytes)),
      ],
    ],
  )
}

function gigabytes(bytes: number): string {
  return formatNumber(bytes / 1e9)
}
