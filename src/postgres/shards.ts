import type { Pool } from 'pg'
import { toUuid } from '../domain/ids.ts'

/*
 * On Citus a transaction of the ledger holds one company, and its statements name that company beside what they ask, so
 * that each runs on the machine of the company alone and a plain COMMIT ends it there. On plain PostgreSQL they say
 * nothing of it. Whether a connection leads to Citus is told to its pool, once.
 */

const onShards = new WeakSet<object>()

/** Says that the tables which the connections of a pool reach are distributed by company. */
export function useShards(pool: Pool): void {
  onShards.add(pool)
  pool.on('acquire', (client) => onShards.add(client))
}

/** Says of something that leads to a connection what was said of that. */
export function followShards(follower: object, connection: object): void {
  if (onShards.has(connection)) onShards.add(follower)
}

/** Whether the tables that a pool reaches were said to be distributed. */
export function isOnShards(pool: Pool): boolean {
  return onShards.has(pool)
}

/** How items wait for a transaction: companies take turns, and share one unless a transaction holds a single company. */
export function turnsOfCompanies(pool: Pool) {
  return { holderOf: ({ companyId }: { companyId: string }) => companyId, isShared: !isOnShards(pool) }
}

/** What a statement says of its shard. */
export interface Shard {
  /** A further condition, that a column is the company: the parameter of this number, the next one. */
  and(column: string, parameter: number): string
  /** The value of that parameter. */
  values: (string | null)[]
}

const NOWHERE: Shard = { and: () => '', values: [] }

/** Where rows of this company are, seen from a connection; null when there are no rows. */
export function shardOf(client: object, companyId: string | undefined): Shard {
  if (!onShards.has(client)) return NOWHERE
  const and = (column: string, parameter: number) => ` and ${column} = $${parameter}::uuid`
  return { and, values: [companyId === undefined ? null : toUuid(companyId)] }
}

/**
 * An INSERT of all rows of `source`, which is called `r` and has the company and then these columns. On a shard the
 * company comes from its head, which stands there: so Citus sees that the rows belong there, and hands them over whole.
 */
export function insertRows(
  shard: Shard,
  table: string,
  columns: readonly string[],
  source: string,
  parameter: number,
): string {
  const into = `insert into ${table} (company_id, ${columns.join(', ')})`
  if (shard === NOWHERE) return `${into} select * from ${source}`
  return `${into} select h.company_id, ${columns.map((name) => `r.${name}`).join(', ')} from heads h cross join ${source}
    where true${shard.and('h.company_id', parameter)}`
}
