import type { Pool } from 'pg'
import { toUuid } from '../domain/ids.ts'

/*
 * On Citus, a transaction of the ledger is limited to one company, and each statement names that company, so that it
 * runs on the company's machine and a plain COMMIT ends it there. On plain PostgreSQL, statements do not name it. Each
 * pool records whether its connections lead to Citus.
 */

const onShards = new WeakSet<object>()

/** Marks a pool whose tables are distributed by company. */
export function useShards(pool: Pool): void {
  onShards.add(pool)
  pool.on('acquire', (client) => onShards.add(client))
}

/** Marks `follower`, which sends statements over `connection`, like that connection. */
export function followShards(follower: object, connection: object): void {
  if (onShards.has(connection)) onShards.add(follower)
}

/** Whether a pool's tables are distributed. */
export function isOnShards(pool: Pool): boolean {
  return onShards.has(pool)
}

/**
 * How items queue for a transaction: companies take turns and share transactions, unless a transaction may hold only
 * one company.
 */
export function turnsOfCompanies(pool: Pool) {
  return { holderOf: ({ companyId }: { companyId: string }) => companyId, isShared: !isOnShards(pool) }
}

type Parameter = string | Buffer | null

/** How a statement names its company's shard. */
interface Shard {
  /** A condition that equates a column with the company; empty on plain PostgreSQL. */
  and(column: string): string
  /** The parameters of the statement; on Citus, the company is the last one. */
  values: Parameter[]
  isNamed: boolean
}

/**
 * The shard of a company's rows, for a statement with these parameters. Without rows there is no company, and the
 * parameter is null.
 */
export function shardOf(client: object, companyId: string | undefined, values: Parameter[]): Shard {
  if (!onShards.has(client)) return { and: () => '', values, isNamed: false }
  const and = (column: string) => ` and ${column} = $${values.length + 1}::uuid`
  return { and, values: [...values, companyId === undefined ? null : toUuid(companyId)], isNamed: true }
}

/**
 * An INSERT of all rows of `source`, which is named `r` and has the company followed by these columns. On Citus, the
 * company comes from its head row, so that Citus recognizes that the rows are co-located and pushes the statement down.
 */
export function insertRows(shard: Shard, table: string, columns: readonly string[], source: string): string {
  const into = `insert into ${table} (company_id, ${columns.join(', ')})`
  if (!shard.isNamed) return `${into} select * from ${source}`
  return `${into} select h.company_id, ${columns.map((name) => `r.${name}`).join(', ')} from heads h cross join ${source}
    where true${shard.and('h.company_id')}`
}
