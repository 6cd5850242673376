import type { ClientBase, QueryResultRow } from 'pg'

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
