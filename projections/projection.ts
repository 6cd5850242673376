import * as arrays from '#postgres/binary-arrays'
import { sql, type Kysely, type Transaction, type RawBuilder } from 'kysely'
import type { Employee } from '#domain/employees/employee'
import type { RecordedEvent } from '#domain/events'
import type { Pieces } from '#domain/pieces'
import { createIndexes, type Indexes } from '#postgres/create-indexes'

/** A query builder of a database with any tables. The reader of a projection knows its own. */
// oxlint-disable-next-line typescript/no-explicit-any
export type AnyDb = Kysely<any>

/**
 * Folds each company's ledger into tables. The fold is pure. A changed fold or table is a new version, which fills its
 * own tables while the previous version keeps using the old ones.
 */
export interface Projection {
  name: string
  version: number
  /** Whether the fold writes states of employees as they are given, which follow from the rows. */
  takesStates?: true
  /** By name. */
  tables: Readonly<Record<string, Table>>
  /**
   * Every index starts with the company. A rebuild creates those that only queries need once it has filled the tables,
   * which is much faster. `migrate` creates an index that is added later, without a new version.
   */
  indexes: Indexes<{ isForFold?: true }>
  /**
   * Folds events into the tables, in the transaction that moves the checkpoints. Each company has at most one batch,
   * whose events follow the previously folded ones without a gap and end with the end of a call, unless they are part
   * of a call. Data may be erased (null). Must not modify the events. What may take long is left to `doPieces`.
   */
  fold(
    transaction: Transaction<unknown>,
    schema: string,
    batches: readonly CompanyEvents[],
    doPieces: DoPieces,
  ): Promise<void>
}

/** Does work in pieces: at once, or with turns for everything else in between. */
export type DoPieces = <Result>(work: Pieces<Result>) => Result | Promise<Result>

/** A table of a projection. */
interface Table {
  columns: Columns
  /** The columns of the primary key, the company first. */
  key: readonly string[]
  /** How full a page becomes by inserts, in percent, so that updated rows find room beside it. */
  fillfactor?: number
}

/** Consecutive events of a company. */
export interface CompanyEvents {
  companyId: string
  events: RecordedEvent[]
  /** What employees are after these events, by id, as far as the caller knows. */
  employees?: ReadonlyMap<string, Employee> | undefined
  /** Present if the events are part of a call that is too large to be folded at once. Parts come in order. */
  call?: CallPart | undefined
}

/** What the fold of a part needs to know about the whole call. */
export interface CallPart {
  /** The position of the call's first event. */
  first: number
  closing: RecordedEvent
}

/** The schema that holds the live tables of a version of a projection. */
export function schemaOf({ name, version }: Pick<Projection, 'name' | 'version'>): string {
  return `${name.replaceAll('-', '_')}_v${version}`
}

/**
 * Creates the tables in an existing, empty schema, with the indexes that the fold needs. Run as the owner of the
 * database.
 */
export async function createTables(db: AnyDb, { tables, indexes }: Projection, schema: string): Promise<void> {
  for (const [name, { columns, key, fillfactor }] of Object.entries(tables)) {
    const defined = Object.entries(columns).map(([column, { type, isNullable }]) => {
      return sql`${sql.id(column)} ${sql.raw(type)} ${isNullable ? sql`null` : sql`not null`}`
    })
    const ofKey = sql.join(key.map((column) => sql.id(column)))
    const storage = fillfactor === undefined ? sql`` : sql`with (fillfactor = ${sql.lit(fillfactor)})`
    const table = sql`${sql.id(schema, name)} (${sql.join(defined)}, primary key (${ofKey})) ${storage}`
    await sql`create table ${table}`.execute(db)
  }
  const ofFold = Object.entries(indexes).filter(([, { isForFold }]) => isForFold)
  await createIndexes(db, schema, Object.fromEntries(ofFold))
}

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
export function unnestedRows<Of extends Columns>(columns: Of, rows: readonly RowOf<Of>[]) {
  const unnested = Object.entries(columns).map(([name, { element, toArray }]) => {
    const values = toArray(rows.map((row) => row[name]))
    return sql`unnest(${values}::${sql.raw(element)}[]) as ${sql.id(name)}`
  })
  return sql`(select ${sql.join(unnested)}) r`
}

/** Inserts rows, given by all columns of a table. */
export function insertRows<Of extends Columns>(table: RawBuilder<unknown>, columns: Of, rows: readonly RowOf<Of>[]) {
  const names = Object.keys(columns).map((name) => sql.id(name))
  return sql`insert into ${table} (${sql.join(names)}) select * from ${unnestedRows(columns, rows)}`
}
