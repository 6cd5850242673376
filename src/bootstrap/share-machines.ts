import { LRUCache } from 'lru-cache'
import type { Pool } from 'pg'
import { createBudget } from '../admission/budget.ts'
import { toUuid } from '../domain/ids.ts'
import { AdmittedPool } from '../postgres/admitted-pool.ts'
import { currentCompany } from '../postgres/company-scope.ts'

/*
 * A machine of a cluster that hangs keeps the connections of its companies waiting. So the companies of a machine use
 * half of the connections at most, and the others remain for the companies elsewhere.
 */

/** Connections that may be waited for; and how long, in milliseconds. */
const MAX_WAITING = 8_000
const MAX_WAIT_MS = 10_000
/** Companies whose machine is remembered; and for how long, in milliseconds: they may be moved. */
const MAX_KNOWN = 100_000
const KNOWN_MS = 60_000
/** Stands for work that is for all companies, and for a company whose machine could not be looked up. */
const ANY_MACHINE = ''

/** Finds the machine of a company, in the metadata that every machine of the cluster has. */
type FindMachine = (companyId: string) => Promise<string>

/** Opens the look-up of machines, over a connection of its own. */
export function openMachineLookup(pool: Pool): FindMachine {
  const machines = new LRUCache<string, Promise<string>>({ max: MAX_KNOWN, ttl: KNOWN_MS })
  async function lookUp(companyId: string): Promise<string> {
    const { rows } = await pool.query<{ machine: string }>(
      `select groupid::text as machine from pg_dist_placement
       where shardid = get_shard_id_for_distribution_column('public.heads', $1::uuid)`,
      [toUuid(companyId)],
    )
    return rows[0]!.machine
  }
  return (companyId) => {
    const known = machines.get(companyId)
    if (known) return known
    const found = lookUp(companyId)
    machines.set(companyId, found)
    found.catch(() => machines.delete(companyId))
    return found
  }
}

/** Shares the connections of a pool among the machines. Throws NoTurnError if one waits too long, or if too many wait. */
export function shareMachines(pool: Pool, findMachine: FindMachine): Pool {
  const { max } = pool.options
  const budget = createBudget({
    total: max,
    share: Math.max(1, Math.floor(max / 2)),
    maxWaiting: MAX_WAITING,
    maxWaitMs: MAX_WAIT_MS,
  })
  return new AdmittedPool(pool, async () => {
    const companyId = currentCompany()
    const machine = companyId === null ? ANY_MACHINE : await findMachine(companyId).catch(() => ANY_MACHINE)
    return budget.acquire(machine, 1)
  })
}
