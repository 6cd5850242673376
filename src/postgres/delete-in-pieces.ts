import { sql, type RawBuilder } from 'kysely'
import type { Pool } from 'pg'
import { openDatabase } from './kysely.ts'

const AT_ONCE = 1_000

/**
 * Deletes the rows of a table, of all companies, that satisfy a condition, in transactions of at most 1,000 rows, until
 * none are left. `key` names the columns of its primary key, and `orderBy` the column whose smallest values go first.
 * Returns how many. Several processes may do so at once.
 */
export function deleteInPieces(
  pool: Pool,
  table: string,
  key: readonly string[],
  condition: RawBuilder<unknown>,
  orderBy?: string,
): Promise<number> {
  const order = orderBy === undefined ? sql`` : sql`order by ${sql.id(orderBy)}`
  const names = key.map((name) => sql.id(name))
  const isSame = names.map((name) => sql`t.${name} = old.${name}`)
  return changeInPieces(
    pool,
    (limit) => sql`delete from ${sql.table(table)} t using (
        select ${sql.join(names)} from ${sql.table(table)} where ${condition} ${order} ${limit}
      ) as old
      where ${sql.join(isSame, sql` and `)}`,
  )
}

/** Changes or deletes rows of all companies in the same way, by a statement that takes a limit. Returns how many. */
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
