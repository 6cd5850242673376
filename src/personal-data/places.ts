import type { ClientBase } from 'pg'
import type { ErasedBy, ErasingType, EventTypeWith, StreamPrefix } from '../domain/event-types.ts'
import type { RecordedEvent } from '../domain/events.ts'
import type { Queryable } from '../postgres/query-client.ts'

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
  /** The rows, page by page. */
  read(db: Queryable, person: Person): AsyncGenerator<Row[]>
  /** Deletes these fields, in the transaction that erases the person. */
  erase(client: ClientBase, person: Person): Promise<void>
}
