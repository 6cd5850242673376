import type { RawBuilder } from 'kysely'
import { sql } from 'kysely'

/** What a column has, row by row: the type of the elements, and the array in binary form. */
export type Column = [type: string, array: Buffer]

/**
 * Rows, called `r`, of binary arrays: one array for each column. Unnested among what is
 * selected they are read side by side; unnested in FROM, each is written into a store of its own first.
 */
export function unnestedRows(columns: Record<string, Column>): RawBuilder<unknown> {
  const unnested = Object.entries(columns).map(([name, [type, array]]) => sql`unnest(${array}::${sql.raw(type)}[]) as ${sql.id(name)}`)
  return sql`(select ${sql.join(unnested)}) r`
}
