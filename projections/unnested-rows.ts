import type { RawBuilder } from 'kysely'
import { sql } from 'kysely'
import * as arrays from '../src/postgres/binary-arrays.ts'

/** What a column has, row by row: the type of the elements, and their array in binary form. */
export interface Column {
  type: string
  array: Buffer
}

export const uuids = (values: readonly (string | null)[]): Column => ({ type: 'uuid', array: arrays.uuidArray(values) })
export const integers = (values: readonly (number | null)[]): Column => ({
  type: 'integer',
  array: arrays.integerArray(values),
})
export const bigints = (values: readonly (number | null)[]): Column => ({
  type: 'bigint',
  array: arrays.bigintArray(values),
})
export const texts = (values: readonly (string | null)[]): Column => ({ type: 'text', array: arrays.textArray(values) })
export const byteas = (values: readonly (Buffer | null)[]): Column => ({
  type: 'bytea',
  array: arrays.byteaArray(values),
})
export const jsons = (values: readonly (string | null)[]): Column => ({ type: 'json', array: arrays.jsonArray(values) })
export const timestamps = (values: readonly (string | null)[]): Column => ({
  type: 'timestamptz',
  array: arrays.timestamptzArray(values),
})

/**
 * Rows, called `r`, of binary arrays: one array for each column. Unnested among what is selected they are read side by
 * side; unnested in FROM, each is written into a store of its own first.
 */
export function unnestedRows(columns: Record<string, Column>): RawBuilder<unknown> {
  const unnested = Object.entries(columns).map(
    ([name, { type, array }]) => sql`unnest(${array}::${sql.raw(type)}[]) as ${sql.id(name)}`,
  )
  return sql`(select ${sql.join(unnested)}) r`
}
