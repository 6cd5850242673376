import { sql, type Kysely, type Transaction } from 'kysely'
import type { Employee } from '#domain/employees/employee'
import type { RecordedEvent } from '#domain/events'
import type { Pieces } from '#domain/pieces'
import { createIndexes, type Indexes } from '#postgres/create-indexes'
import type { Columns } from './columns.ts'

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
export interface Table {
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
