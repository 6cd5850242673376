import type { Pool } from 'pg'
import { clusterOf, followMoves, poolOfMachine } from './company-connections.ts'
import type { Shard } from '../shard.ts'

/*
 * What calls of several companies share (a queue, a batch, a transaction) belongs to one database machine, so that one
 * that hangs holds up only its own companies.
 */

/** The connections to one machine. */
export interface MachinePool {
  pool: Pool
  /** The shard of a company; absent on plain PostgreSQL. */
  shardOf?: ((companyId: string) => Shard) | undefined
}

/** Makes something for each machine, when it is first needed, and finds it by company. There is one on plain PostgreSQL. */
export function makeForMachines<Made>(pool: Pool, make: (machine: MachinePool) => Made): (companyId: string) => Made {
  const cluster = clusterOf(pool)
  if (!cluster) {
    const only = make({ pool })
    return () => only
  }
  const madeFor = new WeakMap<object, Made>()
  return (companyId) => {
    const { machine } = cluster.find(companyId)
    const existing = madeFor.get(machine)
    if (existing !== undefined) return existing
    const made = make({ pool: poolOfMachine(pool, machine), shardOf: (id) => cluster.find(id).shard })
    madeFor.set(machine, made)
    return made
  }
}

/** Items grouped by the shards of their companies; one group on plain PostgreSQL. */
export function byShard<Item extends { companyId: string }>(
  { shardOf }: Pick<MachinePool, 'shardOf'>,
  items: Item[],
): [shard: Shard | undefined, items: Item[]][] {
  return [...Map.groupBy(items, ({ companyId }) => shardOf?.(companyId))]
}

/** Runs a task that finds its company's machine, and again if the company has moved on meanwhile, as `followMoves`. */
export function follow<Result>(pool: Pool, companyId: string, task: () => Promise<Result>): Promise<Result> {
  const cluster = clusterOf(pool)
  return cluster ? followMoves(cluster, companyId, task) : task()
}
