import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { listChildren, readCpuSeconds } from './machine.ts'
import type { BenchServer } from './postgres.ts'

/** Processor time, in seconds. */
export interface Cpu {
  /** Of the service; 0 where there is none. */
  serviceSeconds: number
  postgresSeconds: number
}

/** Starts to measure processor time. Returns a function that returns what was used since. */
export async function startCpu(server: BenchServer, pid: number | undefined): Promise<() => Promise<Cpu>> {
  const postmaster = await readPostmasterPid(server)
  const used = async (): Promise<Cpu> => ({
    serviceSeconds: pid === undefined ? 0 : await readCpuSeconds(pid),
    postgresSeconds: await readCpuSecondsOfAll(postmaster),
  })
  const before = await used()
  return async () => {
    const after = await used()
    return {
      serviceSeconds: after.serviceSeconds - before.serviceSeconds,
      postgresSeconds: after.postgresSeconds - before.postgresSeconds,
    }
  }
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
