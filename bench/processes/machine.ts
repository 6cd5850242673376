import { open, readFile, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { median } from '../report/statistics.ts'
import type { BenchServer } from './postgres.ts'
import { SETTINGS } from './postgres.ts'

/** The machine and the versions of a run. */
export interface Machine {
  at: string
  processor: string
  processors: number
  memoryGiB: number
  system: string
  node: string
  postgres: string
  /** Median time to sync 8 KiB to disk, in milliseconds: every commit waits for this. */
  syncMs: number
  /** The load average at the start of the run. */
  load: number
  settings: Record<string, string>
}

export async function describeMachine(server: BenchServer, dataDir: string): Promise<Machine> {
  const names = Object.keys(SETTINGS).map((name) => `'${name}'`)
  const settings = await server.run<{ name: string; value: string }>(
    `select name, current_setting(name) as value from pg_settings where name in (${names.join(', ')}) order by name`,
  )
  const [version] = await server.run<{ version: string }>(`select current_setting('server_version') as version`)
  const [load] = os.loadavg()
  return {
    at: new Date().toISOString(),
    processor: os.cpus()[0]?.model ?? 'unknown',
    processors: os.availableParallelism(),
    memoryGiB: Math.round(os.totalmem() / 2 ** 30),
    system: `${os.type()} ${os.release()} ${os.arch()}`,
    node: process.version,
    postgres: version!.version,
    syncMs: await measureSync(dataDir),
    load: Math.round(load! * 100) / 100,
    settings: Object.fromEntries(settings.map(({ name, value }) => [name, value])),
  }
}

const SYNCS = 100
const PAGE_BYTES = 8192

async function measureSync(dataDir: string): Promise<number> {
  const file = path.join(dataDir, 'sync-test')
  const handle = await open(file, 'w')
  try {
    const times: number[] = []
    for (let at = 0; at < SYNCS; at += 1) {
      const begun = performance.now()
      await handle.write(Buffer.alloc(PAGE_BYTES), 0, PAGE_BYTES, at * PAGE_BYTES)
      await handle.datasync()
      times.push(performance.now() - begun)
    }
    return Math.round(median(times) * 1000) / 1000
  } finally {
    await handle.close()
    await rm(file, { force: true })
  }
}

/** The resident memory of a process in bytes. Linux only. */
export function readResidentBytes(pid: number): Promise<number> {
  return readStatusBytes(pid, 'VmRSS')
}

/** The peak resident memory of a process in bytes. Linux only. */
export function readPeakBytes(pid: number): Promise<number> {
  return readStatusBytes(pid, 'VmHWM')
}

async function readStatusBytes(pid: number, name: string): Promise<number> {
  const line = (await readFile(`/proc/${pid}/status`, 'utf8')).split('\n').find((one) => one.startsWith(`${name}:`))
  return Number(/(\d+) kB$/.exec(line ?? '')?.[1] ?? 0) * 1024
}

const TICKS_PER_SECOND = 100

/** The processor time of a process in seconds, including the children that it waited for. */
export async function readCpuSeconds(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  // The fields after the name, which can contain anything: user and system time, then those of the children, in ticks.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return [11, 12, 13, 14].reduce((sum, at) => sum + Number(fields[at]), 0) / TICKS_PER_SECOND
}

/** Lists the running children of a process. */
export async function listChildren(pid: number): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')
  return text
    .split(' ')
    .filter((id) => id !== '')
    .map(Number)
}
