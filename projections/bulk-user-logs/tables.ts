import {
  type Projection,
  bigint,
  bytea,
  integer,
  json,
  nullable,
  smallint,
  text,
  time,
  uuid,
  word,
  type RowOf,
} from '../projection.ts'
import type { CallSource, CallNote } from '#domain/call-sources'
import type { Operation } from '#domain/operations'

type Status = 'Completed' | 'Failed'

/** The tables of Bulk User Logs. `entries` holds the log; the others make its filters and sums fast. */
export const BULK_USER_LOG_TABLES = {
  entries: {
    columns: {
      company_id: uuid,
      /** The position of the event that closes the call. The log is in this order. */
      position: bigint,
      call_id: uuid,
      status: word<Status>(),
      operation: word<Operation>(),
      source: word<CallSource>(),
      requested_at: time,
      duration_ms: integer,
      http_status: smallint,
      error_code: nullable(word()),
      error_detail: nullable(text),
      /** `NO_KEY`, without a name, if a user made the call. */
      key_id: uuid,
      key_name: text,
      request_id: word(),
      total: integer,
      updated: integer,
      deactivated: integer,
      failed: integer,
      no_updates: integer,
      /** The position of the call's first event. */
      first_position: bigint,
      /** See `outcomes.ts`. Null if the call was refused as a whole. */
      outcomes: nullable(bytea),
      /** What was ignored, or kept otherwise than it was sent; null if nothing was. */
      notes: nullable(json<CallNote[]>()),
    },
    key: ['company_id', 'position'],
  },

  /** The hashes (see `hashName`) of the names in refused records. A row is deleted when its event's data is erased. */
  rejected_names: {
    columns: {
      company_id: uuid,
      name_hash: bytea,
      entry_position: bigint,
      /** The position of the event that rejected the record. */
      position: bigint,
      /** The employee of the record, if it is known. */
      employee_id: nullable(uuid),
    },
    key: ['company_id', 'name_hash', 'entry_position', 'position'],
  },

  /** The hashes of what employees were called before, until they are erased: see `former-names.ts`. */
  former_names: {
    columns: { company_id: uuid, name_hash: bytea, employee_id: uuid },
    key: ['company_id', 'name_hash', 'employee_id'],
  },

  /** The position range of the entries of each hour, because the log is ordered by position but filtered by time. */
  hours: {
    columns: { company_id: uuid, hour: time, first_position: bigint, last_position: bigint },
    key: ['company_id', 'hour'],
    fillfactor: 80,
  },

  /** Calls and their counts by hour, key, operation and status; the sums of all keys are those of `EVERY_KEY`. */
  calls_by_hour: {
    columns: {
      company_id: uuid,
      key_id: uuid,
      hour: time,
      operation: word<Operation>(),
      status: word<Status>(),
      calls: bigint,
      total: bigint,
      updated: bigint,
      deactivated: bigint,
      failed: bigint,
      no_updates: bigint,
    },
    key: ['company_id', 'key_id', 'hour', 'operation', 'status'],
    fillfactor: 80,
  },

  /**
   * The calls of a key that failed with a code, by hour, without the calls of users. The code is empty for calls
   * that completed and refused some of their records.
   */
  failures_by_hour: {
    columns: {
      company_id: uuid,
      hour: time,
      key_id: uuid,
      error_code: word(),
      calls: bigint,
      records: bigint,
      refused: bigint,
      first_at: time,
      last_position: bigint,
      last_call_id: uuid,
    },
    key: ['company_id', 'hour', 'key_id', 'error_code'],
    fillfactor: 80,
  },

  /** Why the records of keys were refused, an error of a record in each row: see `refused-errors.ts`. */
  refused_errors: {
    columns: {
      company_id: uuid,
      code: word(),
      /** As pages name it; empty for the record itself. */
      field: word(),
      /** Of a conflict, what collides; otherwise empty. */
      kind: word(),
      requested_at: time,
      /** The position of the event that rejected the record. */
      position: bigint,
      key_id: uuid,
      /** A keyed digest of the person of the record; null if it names nobody. */
      person: nullable(bytea),
    },
    key: ['company_id', 'code', 'field', 'kind', 'requested_at', 'position'],
  },

  /** The sums of these errors by hour, key and cause. */
  refusals_by_hour: {
    columns: {
      company_id: uuid,
      hour: time,
      key_id: uuid,
      code: word(),
      field: word(),
      kind: word(),
      records: bigint,
      first_at: time,
      last_at: time,
      /** A sketch of the people: see `refused-errors.ts`. */
      people: bytea,
    },
    key: ['company_id', 'hour', 'key_id', 'code', 'field', 'kind'],
    fillfactor: 80,
  },
} satisfies Projection['tables']

type Tables = typeof BULK_USER_LOG_TABLES

/** The rows of these tables. */
export type BulkUserLogTables = { [Name in keyof Tables]: RowOf<Tables[Name]['columns']> }

/** Stands for all keys of a company (no key is that old), so that reading their sums costs the same for any number. */
export const EVERY_KEY = 'key_0000000000e008000000000000'

/** Stands for the key of the calls that users make. */
export const NO_KEY = 'key_0000000000e008000000000001'

export const BULK_USER_LOG_INDEXES: Projection['indexes'] = {
  // For erasures, and to find the employees of an entry.
  rejected_names_by_event: { table: 'rejected_names', on: '(company_id, position)', isForFold: true },
  // For erasures and corrections.
  refused_errors_by_event: { table: 'refused_errors', on: '(company_id, position)', isForFold: true },
  former_names_by_employee: { table: 'former_names', on: '(company_id, employee_id)', isForFold: true },
  // To find the calls that a file corrects.
  entries_by_call: { table: 'entries', on: '(company_id, call_id)', isUnique: true, isForFold: true },
  entries_by_status: { table: 'entries', on: '(company_id, status, position)' },
  entries_by_operation: { table: 'entries', on: '(company_id, operation, position)' },
  entries_by_source: { table: 'entries', on: '(company_id, source, position)' },
  entries_by_key: { table: 'entries', on: '(company_id, key_id, position)' },
  entries_by_request: { table: 'entries', on: '(company_id, request_id, position)' },
  entries_by_error: { table: 'entries', on: '(company_id, error_code, position) where error_code is not null' },
  entries_by_http_status: { table: 'entries', on: "(company_id, http_status, position) where status = 'Failed'" },
  entries_with_refused: { table: 'entries', on: '(company_id, position) where failed > 0' },
  entries_partly_applied: {
    table: 'entries',
    on: "(company_id, position) where failed > 0 and status = 'Completed'",
  },
  entries_with_unchanged: { table: 'entries', on: '(company_id, position) where no_updates > 0' },
}
