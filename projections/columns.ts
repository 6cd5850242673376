import { sql, type RawBuilder } from 'kysely'
import * as arrays from '#postgres/binary-arrays'

/** A column of a table: what it holds, and how the values of many rows travel. */
export interface Column<Value> {
  type: string
  isNullable: boolean
  /** The type of the elements of an array of values, which is sent in binary format. */
  element: string
  toArray(values: readonly Value[]): Buffer
}

/** The columns of a table, by name. */
export type Columns = Readonly<Record<string, Column<unknown>>>

/** A row of a table with these columns. Ids are TypeIDs when they are written, and UUIDs when they are read. */
export type RowOf<Of extends Columns> = { [Name in keyof Of]: Of[Name] extends Column<infer Value> ? Value : never }

function column<Value>(
  type: string,
  toArray: (values: readonly (Value | null)[]) => Buffer,
  element = type,
): Column<Value> {
  return { type, isNullable: false, element, toArray }
}

export const boolean = column<boolean>('boolean', arrays.booleanArray)
export const uuid = column<string>('uuid', arrays.uuidArray)
export const smallint = column<number>('smallint', arrays.integerArray, 'integer')
export const integer = column<number>('integer', arrays.integerArray)
export const bigint = column<number>('bigint', arrays.bigintArray)
export const bytea = column<Buffer>('bytea', arrays.byteaArray)
/** A time, RFC 3339. */
export const time = column<string>('timestamptz(3)', arrays.timestamptzArray, 'timestamptz')
export const text = column<string>('text', arrays.textArray)
/** A text of megabytes, which is in UTF-8 already. */
export const utf8 = column<Buffer>('text', arrays.utf8Array)

/** A text that is compared byte by byte: one of these words, or a code. */
export function word<Value extends string = string>(): Column<Value> {
  return column<Value>('text collate "C"', arrays.textArray, 'text')
}

/** A JSON value. */
export function json<Value>(): Column<Value> {
  return column<Value>('json', (values) => arrays.jsonArray(values.map((value) => JSON.stringify(value))))
}

/** A JSON value that is a text already. */
export const jsonText = column<string>('json', arrays.jsonArray)

/** The column if it may also be null. */
export function nullable<Value>(of: Column<Value>): Column<Value | null> {
  return { ...of, isNullable: true }
}

/**
 * A subselect named `r` with rows, which travel as an array for each column. It unnests them in the select list, where
 * PostgreSQL reads the arrays in lockstep; in FROM, it would materialize each of them first.
 */
export function unnestedRows<Of extends Columns>(columns: Of, rows: readonly RowOf<Of>[]): RawBuilder<unknown> {
  const unnested = Object.entries(columns).map(([name, { element, toArray }]) => {
    const values = toArray(rows.map((row) => row[name]))
    return sql`unnest(${values}::${sql.raw(element)}[]) as ${sql.id(name)}`
  })
  return sql`(select ${sql.join(unnested)}) r`
}

/** Inserts rows, given by all columns of a table. */
export function insertRows<Of extends Columns>(
  table: RawBuilder<unknown>,
  columns: Of,
  rows: readonly RowOf<Of>[],
): RawBuilder<unknown> {
  const names = Object.keys(columns).map((name) => sql.id(name))
  return sql`insert into ${table} (${sql.join(names)}) select * from ${unnestedRows(columns, rows)}`
}
