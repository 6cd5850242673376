import type { Kysely, Transaction } from 'kysely'
import type { Employee } from '../src/domain/employees/employee.ts'
import type { RecordedEvent } from '../src/domain/events.ts'

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
  /**
   * Creates the tables in an existing, empty schema, with the keys and indexes that the fold needs. Run as the owner of
   * the database.
   */
  createTables(db: AnyDb, schema: string): Promise<void>
  /**
   * Creates the indexes that queries need, once for each version: on empty tables, or after a rebuild has filled them, which
   * is much faster. An index that is added later needs a new version.
   */
  createIndexes(db: AnyDb, schema: string): Promise<void>
  /**
   * Folds events into the tables, in the transaction that moves the checkpoints. Each company has at most one batch,
   * whose events follow the previously folded ones without a gap and end with the end of a call, unless they are part
   * of a call. Data may be erased (null). Must not modify the events.
   */
  fold(transaction: Transaction<unknown>, schema: string, batches: readonly CompanyEvents[]): Promise<void>
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
