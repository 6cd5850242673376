import type { Pool } from 'pg'
import type { Logger } from 'pino'
import { isTransient } from '../database-errors.ts'
import { clusterOf, poolOfMachine, poolOfShard, poolOfShards } from './company-connections.ts'

/** A part of the database that is asked by itself: a shard, a machine, or all of it on plain PostgreSQL. */
export interface QueryTarget {
  /** Null on plain PostgreSQL. */
  machine: string | null
  pool: Pool
  /** The companies that are asked about; undefined for all. */
  companyIds?: string[] | undefined
}

/**
 * All shards, for work that looks over all companies and need not see the latest; or those of some companies, each with
 * its own.
 */
export function shardTargets(pool: Pool, companyIds?: string[]): QueryTarget[] {
  const cluster = clusterOf(pool)
  if (!cluster) return [{ machine: null, pool, companyIds }]
  const ofShard = companyIds && Map.groupBy(companyIds, (companyId) => cluster.find(companyId).shard)
  return cluster
    .shards()
    .filter(({ shard }) => ofShard?.has(shard) ?? true)
    .map((place) => ({
      machine: place.machine.name,
      pool: poolOfShard(pool, place),
      companyIds: ofShard?.get(place.shard),
    }))
}

/**
 * All companies, for work that only reads and joins the rows of all shards: a machine of a cluster reads all of its
 * shards in one statement. An `order by` or a `limit` is that of each shard.
 */
export function readTargets(pool: Pool): QueryTarget[] {
  const cluster = clusterOf(pool)
  if (!cluster) return [{ machine: null, pool }]
  return Array.from(
    Map.groupBy(cluster.shards(), ({ machine }) => machine),
    ([machine, places]) => {
      const shards = places.map(({ shard }) => shard)
      return { machine: machine.name, pool: poolOfShards(pool, machine, shards) }
    },
  )
}

/** All machines, for what each of them knows of itself. */
export function machineTargets(pool: Pool): QueryTarget[] {
  const machines = clusterOf(pool)?.machines()
  return (
    machines?.map((machine) => ({ machine: machine.name, pool: poolOfMachine(pool, machine) })) ?? [
      { machine: null, pool },
    ]
  )
}

/** Called for a machine that could not be asked. */
export type OnUnreachable = (machine: string, error: unknown) => void

const rethrow: OnUnreachable = (_, error) => {
  throw error
}

/** Leaves out a machine that does not answer. The caller reports unreachable machines elsewhere. */
export const leaveOutUnreachable: OnUnreachable = (_, error) => {
  if (!isTransient(error)) throw error
}

/** Leaves out a machine, and says so in the log. */
export function leaveOut(log: Logger, message: string): OnUnreachable {
  return (machine, error) => log.warn({ err: error, machine }, message)
}

/**
 * Collects what is found in these targets, machine by machine and side by side. Machines that cannot be asked are left
 * out; `onUnreachable` is called for each of them, and by default throws. Throws if none can be asked.
 */
export async function findEverywhere<Found>(
  targets: QueryTarget[],
  find: (target: QueryTarget) => Promise<Found[]>,
  onUnreachable: OnUnreachable = rethrow,
): Promise<Found[]> {
  const ofMachines = [...Map.groupBy(targets, ({ machine }) => machine)]
  const outcomes = await Promise.allSettled(
    ofMachines.map(async ([, targets]) => {
      const results: Found[][] = []
      for (const target of targets) results.push(await find(target))
      return results.flat()
    }),
  )
  const failed = outcomes.filter((outcome) => outcome.status === 'rejected')
  if (failed[0] && failed.length === outcomes.length) throw failed[0].reason
  return outcomes.flatMap((outcome, at) => {
    if (outcome.status === 'fulfilled') return outcome.value
    onUnreachable(String(ofMachines[at]![0]), outcome.reason)
    return []
  })
}

/** Adds up what is counted in these targets, as `findEverywhere` finds it. */
export async function countEverywhere(
  pool: Pool,
  count: (pool: Pool) => Promise<number>,
  onUnreachable?: OnUnreachable,
): Promise<number> {
  const counts = await findEverywhere(shardTargets(pool), async (target) => [await count(target.pool)], onUnreachable)
  return counts.reduce((total, one) => total + one, 0)
}
