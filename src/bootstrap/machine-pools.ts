import { LRUCache } from 'lru-cache'
import type { Pool } from 'pg'
import { UnavailableError } from '#admission/batcher'
import { toUuid } from '#domain/ids'
import { currentCompany } from '#postgres/company-scope'
import { LendingPool } from '#postgres/lending-pool'
import { addressOf, type MachineRow } from '#postgres/machine-address'

/*
 * Every machine of a Citus cluster answers every statement. A statement of a company costs least on the machine that has
 * the company, and waits for no other machine there. While a company is moved, either machine answers.
 */

/** Companies whose machine is remembered; and for how long, in milliseconds: they may be moved. */
const MAX_KNOWN = 100_000
const KNOWN_MS = 60_000

/** The address of the machine of each company that was asked for. */
export type CompanyMachines = LRUCache<string, string>

/** Asks the coordinator for the address of the machine that has a company. */
export async function lookUpMachine(coordinator: Pool, coordinatorUrl: string, companyId: string) {
  const { rows } = await coordinator.query<MachineRow>(
    `select n.groupid as "group", n.nodename as host, n.nodeport as port
     from pg_dist_placement p join pg_dist_node n on n.groupid = p.groupid and n.noderole = 'primary'
     where p.shardid = get_shard_id_for_distribution_column('public.heads', $1::uuid)`,
    [toUuid(companyId)],
  )
  const [machine] = rows
  // A shard that is split gets another id, which may be newer than what the statement sees of places.
  if (!machine) throw new UnavailableError('the cluster names no machine for a company at this moment')
  return addressOf(machine, coordinatorUrl).url
}

/** Remembers what was looked up. If a later look-up fails, what was known stays in use. */
export function rememberMachines(lookUp: (companyId: string) => Promise<string>, knownMs = KNOWN_MS): CompanyMachines {
  return new LRUCache({
    max: MAX_KNOWN,
    ttl: knownMs,
    fetchMethod: lookUp,
    allowStale: true,
    noDeleteOnFetchRejection: true,
  })
}

/**
 * Opens a pool that connects to the machine of the company that the running code works for, or to the coordinator if
 * that is none. Each machine has connections of its own, so one that hangs keeps no others waiting.
 */
export function openMachinePools(
  coordinatorUrl: string,
  openAt: (url: string) => Pool,
  machines: CompanyMachines,
): Pool {
  const coordinator = openAt(coordinatorUrl)
  const pools = new Map([[new URL(coordinatorUrl).href, coordinator]])
  const poolAt = (url: string) => {
    const pool = pools.get(url) ?? openAt(url)
    pools.set(url, pool)
    return pool
  }
  async function connect() {
    const companyId = currentCompany()
    if (companyId === null) return coordinator.connect()
    const address = (await machines.fetch(companyId))!
    try {
      return await poolAt(address).connect()
    } catch (error) {
      // The machine may have been removed, or replaced by another one.
      machines.delete(companyId)
      const current = await machines.fetch(companyId).catch(() => address)
      if (current === address) throw error
      return poolAt(current!).connect()
    }
  }
  return new LendingPool(coordinator.options, connect, () => [...pools.values()])
}
