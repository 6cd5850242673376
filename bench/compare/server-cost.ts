import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { listChildren, readCpuSeconds } from '../processes/machine.ts'
import { formatNumber, formatTable } from './markdown.ts'
import type { BenchServer } from '../processes/postgres.ts'

/** The resources that calls use: processor time of the service and of PostgreSQL, write-ahead log, and table space. */
interface Cost {
  serviceCpuSeconds: number
  postgresCpuSeconds: number
  walBytes: number
  tableBytes: number
}

/** Starts a measurement. Returns a function that returns the resources used since. */
export async function startCost(server: BenchServer, database: string, pid: number): Promise<() => Promise<Cost>> {
  const postmaster = await readPostmasterPid(server)
  const used = async (): Promise<Cost> => {
    const [sizes] = await server.run<{ wal: string; tables: string }>(
      `select pg_current_wal_lsn() - '0/0'::pg_lsn as wal, pg_database_size('${database}') as tables`,
    )
    return {
      serviceCpuSeconds: await readCpuSeconds(pid),
      postgresCpuSeconds: await readCpuSecondsOfAll(postmaster),
      walBytes: Number(sizes!.wal),
      tableBytes: Number(sizes!.tables),
    }
  }
  const before = await used()
  return async () => {
    const after = await used()
    const names = Object.keys(after) as (keyof Cost)[]
    return Object.fromEntries(names.map((name) => [name, after[name] - before[name]])) as unknown as Cost
  }
}

export function formatCostTable(cost: Cost, calls: number): string {
  const million = (value: number) => (value / calls) * 1_000_000
  return formatTable(
    ['for each million calls', 'service, CPU s', 'PostgreSQL, CPU s', 'write-ahead log, GB', 'tables, GB'],
    [
      [
        `${calls} measured`,
        formatNumber(million(cost.serviceCpuSeconds)),
        formatNumber(million(cost.postgresCpuSeconds)),
        gigabytes(million(cost.walBytes)),
        gigabytes(million(cost.tableBytes)),
      ],
    ],
  )
}

function gigabytes(bytes: number): string {
  return formatNumber(bytes / 1e9)
}

async function readPostmasterPid(server: BenchServer): Promise<number> {
  const [row] = await server.run<{ folder: string }>(`select current_setting('data_directory') as folder`)
  return Number((await readFile(path.join(row!.folder, 'postmaster.pid'), 'utf8')).split('\n')[0])
}

/** When a process ends meanwhile, its parent's figure includes it. */
async function readCpuSecondsOfAll(postmaster: number): Promise<number> {
  let sum = await readCpuSeconds(postmaster)
  for (const child of await listChildren(postmaster)) sum += await readCpuSeconds(child).catch(() => 0)
  return sum
}
