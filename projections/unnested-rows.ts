import { sql, type RawBuilder } from 'kysely'
import * as arrays from '../src/postgres/binary-arrays.ts'

/** A column: the type of its values, and one value per row as a binary array. */
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
 * A subselect named `r` that turns columns into rows. It unnests in the select list, where PostgreSQL reads the arrays
 * in lockstep; in FROM, it would materialize each of them first.
 */
export function unnestedRows(columns: Record<string, Column>): RawBuilder<unknown> {
  const unnested = Object.entries(columns).map(
    ([name, { type, array }]) => sql`unnest(${array}::${sql.raw(type)}[]) as ${sql.id(name)}`,
  )
  return sql`(select ${sql.join(unnested)}) r`
}

/** Inserts rows, given by all columns of a table. */
export function insertRows<Name extends string>(
  table: RawBuilder<unknown>,
  columns: Record<Name, Column>,
): RawBuilder<unknown> {
  const names = Object.keys(columns).map((name) => sql.id(name))
  return sql`insert into ${table} (${sql.join(names)}) select * from ${unnestedRows(columns)}`
}
