/** Companies, their events, and what follows from the events alone. */
export const LEDGER = [
  // "hash_key" keys the company's HMACs of guessable values. It must stay secret for as long as they are in use.
  `create table companies (
    company_id uuid primary key,
    name text not null,
    created_at timestamptz(3) not null,
    time_zone text not null default 'UTC',
    hash_key bytea not null default (uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()))
  )`,

  // Every append locks its company's head. "frontier" holds the roots of the complete Merkle subtrees, 32 bytes each.
  `create table heads (
    company_id uuid primary key,
    position bigint not null check (position >= 0),
    frontier bytea not null,
    recorded_at timestamptz(3) not null
  ) with (fillfactor = 50)`,

  // "leaf_hash" is the hash of the envelope, which is derived from all other columns (src/ledger/integrity/codec.ts).
  // "data" holds the exact text that was hashed as UTF-8. It is not jsonb, which reorders members and rounds numbers. An
  // erasure replaces "data" and "salt" with the hash of both. The columns are in an order that needs little padding.
  `create table events (
    company_id uuid not null,
    position bigint not null check (position >= 1),
    recorded_at timestamptz(3) not null,
    stream_id uuid not null,
    call_id uuid,
    stream_version integer not null check (stream_version >= 1),
    record_index integer,
    schema_version smallint not null,
    type text not null,
    actor text not null,
    leaf_hash bytea not null check (octet_length(leaf_hash) = 32),
    salt bytea check (octet_length(salt) = 16),
    data_hash bytea check (octet_length(data_hash) = 32),
    data text,
    primary key (company_id, position),
    check ((data is null) = (salt is null) and (data is null) = (data_hash is not null))
  )`,
  `create unique index events_by_stream on events (company_id, stream_id, stream_version)`,
  // What administrators, the command line and schedules did: few events, which would be hard to find among the others.
  `create index events_outside_calls on events (company_id, position) where call_id is null`,
  // Refused records that still have their data. Erasures search them, and retention takes the oldest.
  `create index events_rejected on events (company_id, position)
    where data is not null and type = 'EmployeeRecordRejected'`,

  // What must be unique among the employees of a company, and who reports to whom, as of the last commit. Everything
  // else about an employee stands in the events and in the employee read model. The constraints are deferrable so that
  // one UPDATE can swap the values of two employees.
  `create table employee_directory (
    company_id uuid not null,
    employee_id uuid not null,
    email text not null,
    external_id text,
    manager_id uuid,
    primary key (company_id, employee_id),
    constraint employee_directory_email unique (company_id, email) deferrable initially immediate,
    constraint employee_directory_external_id unique (company_id, external_id) deferrable initially immediate
  )`,
  `create index employee_directory_by_manager on employee_directory (company_id, manager_id) where manager_id is not null`,

  // Derived from the events' leaf hashes, and rebuilt from them when missing. A subtree of level L has 2^L leaves;
  // "number" counts the subtrees of a level from 0.
  `create table merkle_subtrees (
    company_id uuid not null,
    level smallint not null,
    number bigint not null check (number >= 0),
    hash bytea not null check (octet_length(hash) = 32),
    primary key (company_id, level, number)
  )`,

  // The last verification that someone started on the page, one per company. "verdict" is a JSON text, null while it runs;
  // a run whose process died has no verdict, and a "seen_at" that gets old.
  `create table ledger_verifications (
    company_id uuid primary key,
    run_id uuid not null,
    started_by text not null,
    started_at timestamptz(3) not null,
    seen_at timestamptz(3) not null,
    position bigint not null,
    size bigint not null,
    verdict text
  ) with (fillfactor = 50)`,
]
