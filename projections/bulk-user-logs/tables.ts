import type { Projection } from '../projection.ts'
import type { Operation } from '../../src/domain/events.ts'

/** The tables of Bulk User Logs. `entries` holds the log; the others make its filters and sums fast. */
export type BulkUserLogTables = {
  entries: {
    company_id: string
    /** The position of the event that closes the call. The log is in this order. */
    position: number
    call_id: string
    status: 'Completed' | 'Failed'
    operation: Operation
    requested_at: string
    duration_ms: number
    http_status: number
    error_code: string | null
    error_detail: string | null
    /** `NO_KEY`, without a name, if a user uploaded a file. */
    key_id: string
    key_name: string
    request_id: string
    total: number
    updated: number
    deactivated: number
    failed: number
    no_updates: number
    /** The position of the call's first event. */
    first_position: number
    /** See `outcomes.ts`. Null if the call was refused as a whole. */
    outcomes: Buffer | null
  }
  /** The hashes (see `hashName`) of the names in refused records. A row is deleted when its event's data is erased. */
  rejected_names: {
    company_id: string
    name_hash: Buffer
    entry_position: number
    /** The position of the event that rejected the record. */
    position: number
    /** The employee of the record, if it is known. */
    employee_id: string | null
  }
  /** The hashes of what employees were called before, until they are erased: see `former-names.ts`. */
  former_names: { company_id: string; name_hash: Buffer; employee_id: string }
  /** The position range of the entries of each hour, because the log is ordered by position but filtered by time. */
  hours: { company_id: string; hour: string; first_position: number; last_position: number }
  /** Calls and their counts by hour, key, operation and status; the sums of all keys are those of `EVERY_KEY`. */
  calls_by_hour: {
    company_id: string
    key_id: string
    hour: string
    operation: Operation
    status: 'Completed' | 'Failed'
    calls: number
    total: number
    updated: number
    deactivated: number
    failed: number
    no_updates: number
  }
  /**
   * The calls of a key that failed with a code, by hour, without the files that users upload. The code is empty for calls
   * that completed and refused some of their records.
   */
  failures_by_hour: {
    company_id: string
    hour: string
    key_id: string
    error_code: string
    calls: number
    records: number
    refused: number
    first_at: string
    last_position: number
    last_call_id: string
  }
}

/** Stands for all keys of a company (no key is that old), so that reading their sums costs the same for any number. */
export const EVERY_KEY = 'key_0000000000e008000000000000'

/** Stands for the key of the calls that users make by uploading files. */
export const NO_KEY = 'key_0000000000e008000000000001'

export const BULK_USER_LOG_TABLES: Record<keyof BulkUserLogTables, string> = {
  entries: `(
    company_id uuid not null,
    position bigint not null,
    call_id uuid not null,
    status text collate "C" not null,
    operation text collate "C" not null,
    requested_at timestamptz(3) not null,
    duration_ms integer not null,
    http_status smallint not null,
    error_code text collate "C",
    error_detail text,
    key_id uuid not null,
    key_name text not null,
    request_id text collate "C" not null,
    total integer not null,
    updated integer not null,
    deactivated integer not null,
    failed integer not null,
    no_updates integer not null,
    first_position bigint not null,
    outcomes bytea,
    primary key (company_id, position)
  )`,

  rejected_names: `(
    company_id uuid not null,
    name_hash bytea not null,
    entry_position bigint not null,
    position bigint not null,
    employee_id uuid,
    primary key (company_id, name_hash, entry_position, position)
  )`,

  former_names: `(
    company_id uuid not null,
    name_hash bytea not null,
    employee_id uuid not null,
    primary key (company_id, name_hash, employee_id)
  )`,

  hours: `(
    company_id uuid not null,
    hour timestamptz(3) not null,
    first_position bigint not null,
    last_position bigint not null,
    primary key (company_id, hour)
  ) with (fillfactor = 80)`,

  calls_by_hour: `(
    company_id uuid not null,
    key_id uuid not null,
    hour timestamptz(3) not null,
    operation text collate "C" not null,
    status text collate "C" not null,
    calls bigint not null,
    total bigint not null,
    updated bigint not null,
    deactivated bigint not null,
    failed bigint not null,
    no_updates bigint not null,
    primary key (company_id, key_id, hour, operation, status)
  ) with (fillfactor = 80)`,

  failures_by_hour: `(
    company_id uuid not null,
    hour timestamptz(3) not null,
    key_id uuid not null,
    error_code text collate "C" not null,
    calls bigint not null,
    records bigint not null,
    refused bigint not null,
    first_at timestamptz(3) not null,
    last_position bigint not null,
    last_call_id uuid not null,
    primary key (company_id, hour, key_id, error_code)
  ) with (fillfactor = 80)`,
}

export const BULK_USER_LOG_INDEXES: Projection['indexes'] = {
  // For erasures, and to find the employees of an entry.
  rejected_names_by_event: { table: 'rejected_names', on: '(company_id, position)', isForFold: true },
  former_names_by_employee: { table: 'former_names', on: '(company_id, employee_id)', isForFold: true },
  entries_by_call: { table: 'entries', on: '(company_id, call_id)', isUnique: true },
  entries_by_status: { table: 'entries', on: '(company_id, status, position)' },
  entries_by_operation: { table: 'entries', on: '(company_id, operation, position)' },
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
