import { setTimeout as pause } from 'node:timers/promises'
import { MovedError } from '../database-errors.ts'
import { withClient } from '../with-client.ts'
import type { Machine } from './machine.ts'
import type { MachineRow } from './machine-address.ts'
import { addressOf, COORDINATOR } from './machine-address.ts'
import { onFirst, openMachine } from './machine.ts'
import type { PlacedShard, Places } from './places.ts'
import { readPlaces, shardOfCompany } from './places.ts'

/** How often the places are compared with those of the database. */
const LOOK_MS = 5_000
/** The same, while a machine is down: another one may take its place at any moment. */
const LOOK_WHILE_DOWN_MS = 1_000
/** For reading where everything is. */
const LOOKING = { name: 'employee-ledger places', max: 1, statementTimeoutMs: 5_000 }

/** The machines of a Citus cluster, and where the companies are, as far as this process knows. */
export interface Cluster {
  /** The coordinator first. */
  machines(): Machine[]
  /** All shards with their machines. */
  shards(): { shard: PlacedShard; machine: Machine }[]
  /** Where a company is. It may have moved on since the last look. */
  find(companyId: string): { shard: PlacedShard; machine: Machine }
  /** Looks where everything is, after this call. Looks of many callers are shared. */
  look(): Promise<void>
  /** Waits for the look that is under way, if there is one. */
  finishLook(): Promise<void>
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
  let places: Places = { version: '', shards: [], machines: new Map([[COORDINATOR, coordinatorOf(url)]]) }
  let looking: Promise<void> | undefined

  function machineOf(group: number): Machine {
    const row = places.machines.get(group)
    if (!row) throw new MovedError(`the machine of group ${group} is not known`)
    const address = addressOf(row, url)
    const known = machines.get(address.url)
    if (known) return known
    const machine = openMachine(address, answerMs, (isDown) => {
      onChange(address.name, isDown)
      // It may have been replaced or removed.
      if (isDown) void look().catch(() => undefined)
    })
    machines.set(address.url, machine)
    return machine
  }

  const all = () => [...places.machines.keys()].map(machineOf)

  let next: Promise<void> | undefined
  /** A look that has begun may have seen the state before. */
  const look = () => {
    if (!looking) return begin()
    return (next ??= looking.catch(() => undefined).then(() => ((next = undefined), begin())))
  }

  const begin = () =>
    (looking ??= (async () => {
      const ask = (machine: Machine) =>
        withClient({ connect: () => machine.connect({ ...LOOKING, url }) }, (client) => readPlaces(client, places))
      places = (await onFirst(all(), ask)) ?? places
      const used = new Set(all())
      for (const [at, machine] of machines) {
        if (used.has(machine)) continue
        machines.delete(at)
        void machine.close()
      }
    })().finally(() => (looking = undefined)))

  async function keepLooking(): Promise<void> {
    let waitedMs = 0
    while (!stopped.signal.aborted) {
      await pause(LOOK_WHILE_DOWN_MS, undefined, { signal: stopped.signal, ref: false }).catch(() => undefined)
      waitedMs += LOOK_WHILE_DOWN_MS
      if (stopped.signal.aborted || (waitedMs < LOOK_MS && all().every(({ isDown }) => !isDown))) continue
      waitedMs = 0
      await look().catch(() => undefined)
    }
  }

  const close = () => Promise.all([...machines.values()].map((machine) => machine.close()))
  try {
    await look()
  } catch (error) {
    await close()
    throw error
  }
  const watching = keepLooking()
  return {
    machines: all,
    shards: () => places.shards.map((shard) => ({ shard, machine: machineOf(shard.group) })),
    find(companyId) {
      const shard = shardOfCompany(places, companyId)
      return { shard, machine: machineOf(shard.group) }
    },
    look,
    finishLook: async () => looking,
    async close() {
      stopped.abort()
      await watching
      await close()
    },
  }
}

function coordinatorOf(url: string): MachineRow {
  const { hostname, port } = new URL(url)
  return { group: COORDINATOR, host: hostname, port: Number(port || 5432) }
}
