import type { Column } from '#projections/projection'
import type { Statement } from '#postgres/pool'

/*
 * Rows that the statements of an append write. They travel as binary arrays, one for each column, so that a statement
 * has the same text for any number of rows, and a connection parses and plans it once.
 */

/** The columns of sent rows, by name, in the order of the parameters. */
export type SentColumns<Sent> = Readonly<Record<string, SentColumn<Sent>>>

interface SentColumn<Sent> {
  /** The type of the elements of its array. */
  element: string
  toArray(rows: readonly Sent[]): Buffer
}

/** A column of this kind, with its value in what is sent. */
export function sent<Sent, Value>(
  { element, toArray }: Column<Value>,
  valueOf: (row: Sent) => Value,
): SentColumn<Sent> {
  return { element, toArray: (rows) => toArray(rows.map(valueOf)) }
}

/**
 * The rows, called `r`. Arrays that are unnested in the select list are read side by side, row by row; unnested in
 * FROM, each would be materialized first.
 */
export function selectSent<Sent>(columns: SentColumns<Sent>) {
  const unnested = Object.entries(columns).map(
    ([name, { element }], at) => `unnest($${at + 1}::${element}[]) as ${name}`,
  )
  return `(select ${unnested.join(', ')}) r`
}

/** The parameters of the rows. */
export function arraysOf<Sent>(columns: SentColumns<Sent>, rows: readonly Sent[]) {
  return Object.values(columns).map(({ toArray }) => toArray(rows))
}

/** Inserts rows into a table with these columns. `text` follows, such as what to do with rows that exist. */
export function insertSent<Sent>(
  table: string,
  columns: SentColumns<Sent>,
  rows: readonly Sent[],
  text = '',
): Statement {
  return {
    name: `insert into ${table}`,
    text: `insert into ${table} (${Object.keys(columns).join(', ')}) select * from ${selectSent(columns)} ${text}`,
    values: arraysOf(columns, rows),
  }
}
