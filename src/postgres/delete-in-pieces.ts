import { sql, type RawBuilder } from 'kysely'
import type { Pool } from 'pg'
import { openDatabase } from './kysely.ts'

const AT_ONCE = 1_000

/**
 * Deletes rows of all companies with a statement that takes a limit, in transactions of at most 1,000 rows, until none
 * are left. Returns how many. Several processes may do so at once.
 */
export async function deleteInPieces(
  pool: Pool,
  remove: (limit: RawBuilder<unknown>) => RawBuilder<unknown>,
): Promise<number> {
  const db = openDatabase(pool)
  const statement = remove(sql`limit ${AT_ONCE}`)
  for (let total = 0; ;) {
    const { numAffectedRows } = await statement.execute(db)
    const count = Number(numAffectedRows ?? 0n)
    total += count
    if (count < AT_ONCE) return total
  }
}
