import { setTimeout as pause } from 'node:timers/promises'
import { MovedError } from '../database-errors.ts'
import { withClient } from '../pool.ts'
import type { Machine } from './machine.ts'
import type { MachineRow } from './machine-address.ts'
import { addressOf, COORDINATOR } from './machine-address.ts'
import { onFirst, openMachine } from './machine.ts'
import type { PlacedShard, Placements } from './placements.ts'
import { readPlacements, shardOfCompany } from './placements.ts'

/** How often the placements are compared with those of the database. */
const REFRESH_MS = 5_000
/** The same, while a machine is down: another one may take its place at any moment. */
const REFRESH_WHILE_DOWN_MS = 1_000
/** The connections that read the placements. */
const POOL = { name: 'employee-ledger placements', max: 1, statementTimeoutMs: 5_000 }

/** The machines of a Citus cluster, and where the companies are, as far as this process knows. */
export interface Cluster {
  /** The coordinator first. */
  machines(): Machine[]
  /** All shards with their machines. */
  shards(): { shard: PlacedShard; machine: Machine }[]
  /** Where a company is. It may have moved on since the last refresh. */
  find(companyId: string): { shard: PlacedShard; machine: Machine }
  /** Reads the placements again. Callers share a read that begins after their calls. */
  refresh(): Promise<void>
  /** Waits for the refresh that is under way, if there is one. */
  pendingRefresh(): Promise<void>
  close(): Promise<void>
}

/**
 * Opens a cluster by the URL of its coordinator. A machine that does not answer for `answerMs` is down. `onChange` is
 * called when a machine stops answering or returns.
 */
export async function openCluster(
  url: string,
  answerMs: number,
  onChange: (machine: string, isDown: boolean) => void = () => undefined,
): Promise<Cluster> {
  const machines = new Map<string, Machine>()
  const stopped = new AbortController()
  // Until the machines are known, the one that the URL names.
  let placements: Placements = { version: '', shards: [], machines: new Map([[COORDINATOR, coordinatorOf(url)]]) }
  let pending: Promise<void> | undefined
  let next: Promise<void> | undefined

  function machineOf(group: number): Machine {
    const row = placements.machines.get(group)
    if (!row) throw new MovedError(`the machine of group ${group} is not known`)
    const address = addressOf(row, url)
    const known = machines.get(address.url)
    if (known) return known
    const machine = openMachine(address, answerMs, (isDown) => {
      onChange(address.name, isDown)
      // It may have been replaced or removed.
      if (isDown) void refresh().catch(() => undefined)
    })
    machines.set(address.url, machine)
    return machine
  }

  const all = () => [...placements.machines.keys()].map(machineOf)

  /** A read that has begun may have seen the state before. */
  const refresh = () => {
    if (!pending) return begin()
    return (next ??= pending.catch(() => undefined).then(() => ((next = undefined), begin())))
  }

  const begin = () => (pending ??= readAgain().finally(() => (pending = undefined)))

  async function readAgain(): Promise<void> {
    const read = (machine: Machine) =>
      withClient({ connect: () => machine.connect({ ...POOL, url }) }, (client) => readPlacements(client, placements))
    placements = (await onFirst(all(), read)) ?? placements
    const used = new Set(all())
    for (const [url, machine] of machines) {
      if (used.has(machine)) continue
      machines.delete(url)
      void machine.close()
    }
  }

  async function keepRefreshing(): Promise<void> {
    let waitedMs = 0
    while (!stopped.signal.aborted) {
      await pause(REFRESH_WHILE_DOWN_MS, undefined, { signal: stopped.signal, ref: false }).catch(() => undefined)
      waitedMs += REFRESH_WHILE_DOWN_MS
      if (stopped.signal.aborted || (waitedMs < REFRESH_MS && all().every(({ isDown }) => !isDown))) continue
      waitedMs = 0
      await refresh().catch(() => undefined)
    }
  }

  const close = () => Promise.all([...machines.values()].map((machine) => machine.close()))
  try {
    await refresh()
  } catch (error) {
    await close()
    throw error
  }
  const refreshing = keepRefreshing()
  return {
    machines: all,
    shards: () => placements.shards.map((shard) => ({ shard, machine: machineOf(shard.group) })),
    find(companyId) {
      const shard = shardOfCompany(placements, companyId)
      return { shard, machine: machineOf(shard.group) }
    },
    refresh,
    pendingRefresh: async () => pending,
    async close() {
      stopped.abort()
      await refreshing
      await close()
    },
  }
}

function coordinatorOf(url: string): MachineRow {
  const { hostname, port } = new URL(url)
  return { group: COORDINATOR, host: hostname, port: Number(port || 5432) }
}
