import { sql } from 'kysely'
import type { Kysely, RawBuilder } from 'kysely'
import type { Pool } from 'pg'
import { openDatabase } from '../kysely.ts'
import type { OnUnreachable } from './query-targets.ts'
import { countEverywhere } from './query-targets.ts'

const AT_ONCE = 1_000

/**
 * Deletes rows of all companies with a statement that takes a limit, in transactions of at most 1,000 rows, until none
 * are left. Returns how many. Several processes may do so at once.
 */
export function deleteEverywhere(
  pool: Pool,
  remove: (limit: RawBuilder<unknown>) => RawBuilder<unknown>,
  onUnreachable?: OnUnreachable,
): Promise<number> {
  const statement = remove(sql`limit ${AT_ONCE}`)
  return countEverywhere(pool, (target) => deleteIn(openDatabase(target), statement), onUnreachable)
}

async function deleteIn(db: Kysely<unknown>, statement: RawBuilder<unknown>): Promise<number> {
  for (let total = 0; ;) {
    const { numAffectedRows } = await db.transaction().execute((transaction) => statement.execute(transaction))
    const count = Number(numAffectedRows ?? 0n)
    total += count
    if (count < AT_ONCE) return total
  }
}
