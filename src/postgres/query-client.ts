import type { ClientBase, QueryResultRow } from 'pg'
import { toUuid } from '#domain/ids'

export interface Answer<Row> {
  rows: Row[]
  /** The command tag without its counts, e.g. INSERT. */
  command: string
  /** Rows read or written; null for commands that report no count. */
  rowCount: number | null
}

/** A named statement. A connection prepares it once, under its name. */
export interface Statement {
  name: string
  text: string
  /** Buffers are sent in binary format, everything else as text. */
  values?: (Buffer | string | null)[]
}

/** Accepts statements: a connection, or a pipeline on one. */
export interface QueryClient {
  query<Row extends QueryResultRow>(statement: Statement): Promise<Answer<Row>>
}

/** Accepts queries of node-postgres: a connection, or a pool. */
export type Queryable = Pick<ClientBase, 'query'>

/** What a statement does with rows that another transaction has locked. */
export type WhenLocked = 'wait' | 'skip locked'

/*
 * Calls of any number of companies share statements. One about a single company also names it, so that Citus finds the
 * machine. The parameter may be null, so this changes no plan that PostgreSQL keeps.
 */

/** The company of rows that are all of one; null if they are of several. */
export function onlyCompany(rows: readonly { companyId: string }[]): string | null {
  const [first] = rows
  return first && rows.every(({ companyId }) => companyId === first.companyId) ? toUuid(first.companyId) : null
}

/** A condition that a column has the only company, if there is one. `parameter` is that of `onlyCompany`, such as `$3`. */
export function isOnly(column: string, parameter: string): string {
  return `(${parameter}::uuid is null or ${column} = ${parameter})`
}

/*
 * Citus moves a company to another machine when the transactions that have written to its tables have ended. It doesn't
 * wait for one that has only locked rows. What that one writes next goes to the new machine, where it has no locks.
 */

/**
 * Keeps a company where it is until the end of the transaction, or waits until it has been moved. To be sent before
 * other statements of the transaction. Calls of API keys leave it out where there is one server, which moves nothing.
 */
export function holdCompany(companyId: string): Statement {
  return {
    name: 'hold-company',
    // A statement that waits for a move can miss the rows that were moved. This one changes none anyway.
    text: 'update heads set position = position where company_id = $1 and position < 0',
    values: [toUuid(companyId)],
  }
}
