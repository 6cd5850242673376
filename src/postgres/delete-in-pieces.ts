import { sql, type RawBuilder } from 'kysely'
import type { Pool } from 'pg'
import { openDatabase } from './kysely.ts'

const AT_ONCE = 1_000

/**
 * Changes rows of all companies with a statement that takes a limit, in transactions of at most 1,000 rows, until none
 * are left. Returns how many. Several processes may do so at once.
 */
export async function changeInPieces(
  pool: Pool,
  change: (limit: RawBuilder<unknown>) => RawBuilder<unknown>,
): Promise<number> {
  const db = openDatabase(pool)
  const statement = change(sql`limit ${AT_ONCE}`)
  for (let total = 0; ;) {
    const { numAffectedRows } = await statement.execute(db)
    const count = Number(numAffectedRows ?? 0n)
    total += count
    if (count < AT_ONCE) return total
  }
}

interface UnneededRows {
  table: string
  /** The columns of the primary key. */
  key: string[]
  where: RawBuilder<unknown>
  /** Which are deleted first. Default: any. */
  orderBy?: string
}

/** Deletes rows of all companies as `changeInPieces` changes them. Returns how many. */
export function deleteInPieces(pool: Pool, { table, key, where, orderBy }: UnneededRows): Promise<number> {
  const order = orderBy === undefined ? sql`` : sql`order by ${sql.ref(orderBy)}`
  const isSame = key.map((column) => sql`t.${sql.ref(column)} = old.${sql.ref(column)}`)
  return changeInPieces(
    pool,
    (limit) => sql`delete from ${sql.table(table)} t using (
        select ${sql.join(key.map((column) => sql.ref(column)))} from ${sql.table(table)} where ${where} ${order} ${limit}
      ) as old
      where ${sql.join(isSame, sql` and `)}`,
  )
}
