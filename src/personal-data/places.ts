import type { ClientBase } from 'pg'
import { fromUuid, toUuid, type IdPrefix } from '#domain/ids'
import type { ErasedBy, ErasingType, EventTypeWith, StreamPrefix } from '#domain/event-types'
import type { RecordedEvent } from '#domain/events'
import type { Queryable } from '#postgres/pool'

/*
 * Where data of people stand. The erasure of a person and the report of what is held about them follow the same
 * descriptions, so that the one deletes what the other lists.
 */

/**
 * Reads events after a position that hold data of a person, page by page, also those without data. Erasing events name
 * their positions, and their data are deleted.
 */
export type EventReader<Person> = (db: Queryable, person: Person, after: number) => AsyncGenerator<RecordedEvent[]>

/**
 * Where the events are found whose data an erasing event may delete: in a person's history if they are of the person's
 * stream, and elsewhere if not.
 */
export type FoundIn<Erasing extends ErasingType, Stream extends StreamPrefix, Place extends string> = {
  readonly [Type in ErasedBy<Erasing>]: Type extends EventTypeWith<{ stream: Stream }>
    ? Extract<Place, 'history'>
    : Exclude<Place, 'history'>
}

/** Fields of a row, under the names that reports show. */
export type Row = Readonly<Record<string, unknown>>

/** Rows beside the ledger that hold data of a person. */
export interface RowPlace<Person> {
  /** The fields that an erasure deletes; a row may be deleted as a whole. */
  erases: readonly string[]
  /** The table, unless the rows are found otherwise. */
  describes?: Pick<PersonTable<Person>, 'table' | 'shows' | 'sets'>
  /** The rows, page by page. */
  read(db: Queryable, person: Person): AsyncGenerator<Row[]>
  /** Deletes these fields, in the transaction that erases the person. */
  erase(client: ClientBase, person: Person): Promise<void>
}

/** The rows of a person in a table. */
export interface PersonTable<Person> {
  table: string
  /** The column whose values tell that a row is about the person. */
  of: { column: string; type: 'uuid' | 'bigint' | 'text'; values(person: Person): readonly unknown[] }
  /** What else must hold of a row. */
  where?: string
  /** The columns that tell the person's rows apart, and their types. */
  key: Readonly<Record<string, 'uuid' | 'bytea' | 'bigint' | 'timestamptz' | 'text'>>
  /** The columns that reports show, by their names there. None is a secret. */
  shows: Readonly<Record<string, string>>
  /** The ids among them. */
  ids?: Readonly<Record<string, IdPrefix>>
  /** What an erasure does: it sets columns to values, or deletes the rows. */
  sets: Readonly<Record<string, string>> | 'delete'
  /** The shown columns that it erases: by default those that it sets, or all of a row that it deletes. */
  erases?: readonly string[]
  /** How many rows are read at once, fewer if they are large. */
  pageRows?: number
}

/** Columns that reports show under their own names. */
export const columns = (...names: string[]) => Object.fromEntries(names.map((name) => [name, name]))

const ROWS_PER_PAGE = 500

/** Describes the rows of a person in a table. */
export function describeTable<Person extends { companyId: string }>({
  table,
  of,
  where = 'true',
  key,
  shows,
  ids = {},
  sets,
  erases = Object.keys(sets === 'delete' ? shows : sets),
  pageRows = ROWS_PER_PAGE,
}: PersonTable<Person>): RowPlace<Person> {
  const shown = Object.entries(shows).map(([name, column]) => `${column} as ${name}`)
  const keys = Object.keys(key)
  const keyColumns = keys.map((column, at) => `${column} as key_${at}`)
  const lastKey = Object.values(key).map((type, at) => `$${at + 3}::${type}`)
  const isOfPerson = `company_id = $1 and ${of.column} = any($2::${of.type}[]) and ${where}`
  const isAfter = `and (${keys.join(', ')}) > (${lastKey.join(', ')})`
  const change = Object.entries(sets === 'delete' ? {} : sets).map(([name, value]) => `${name} = ${value}`)
  const valuesOf = (person: Person) => [toUuid(person.companyId), of.values(person)]
  const toRow = (row: Record<string, unknown>): Row =>
    Object.fromEntries(
      Object.keys(shows).map((name) => {
        const [value, prefix] = [row[name], ids[name]]
        return [name, prefix && typeof value === 'string' ? fromUuid(prefix, value) : value]
      }),
    )
  return {
    erases,
    describes: { table, shows, sets },
    async *read(db, person) {
      for (let last: unknown[] = []; ;) {
        const { rows } = await db.query<Record<string, unknown>>(
          `select ${[...shown, ...keyColumns].join(', ')} from ${table}
           where ${isOfPerson} ${last.length === 0 ? '' : isAfter} order by ${keys.join(', ')} limit ${pageRows}`,
          [...valuesOf(person), ...last],
        )
        yield rows.map(toRow)
        if (rows.length < pageRows) return
        last = keys.map((_, at) => rows.at(-1)![`key_${at}`])
      }
    },
    async erase(client, person) {
      const statement = sets === 'delete' ? `delete from ${table}` : `update ${table} set ${change.join(', ')}`
      await client.query(`${statement} where ${isOfPerson}`, valuesOf(person))
    },
  }
}
