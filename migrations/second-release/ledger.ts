/** From where calls came, and what is kept beside the events. */
export const LEDGER = [
  // A country (ISO 3166-1 alpha-2), in which the local phone numbers of a company are read.
  'alter table companies add column country text',
  // Names the rebuild that last wrote the rows of a company; null if there was none. Processes must not use what they
  // remember of earlier rows.
  'alter table checkpoints add column generation uuid',
  // People may have no email address. "record_digest" is of the record that last changed nothing about the employee at
  // "record_version": while it is the version, the same record changes nothing again.
  `alter table employee_directory alter column email drop not null,
    add column record_digest bytea, add column record_version integer`,

  // An address and program that a key or user sent requests from, for a day. "client_id" is random, so that it says
  // nothing once the row is deleted. "user_agent" is as the client sent it, shortened; null if the company already had too many.
  `create table actor_clients (
    company_id uuid not null,
    client_id bigint not null,
    actor_id uuid not null,
    address text not null,
    user_agent text,
    first_at timestamptz(3) not null,
    last_at timestamptz(3) not null,
    primary key (company_id, client_id)
  ) with (fillfactor = 80)`,
  `create index actor_clients_by_actor on actor_clients (company_id, actor_id, last_at)`,
  `create index actor_clients_by_address on actor_clients (company_id, address)`,
  `create index actor_clients_by_age on actor_clients (last_at)`,
  // Not part of the envelope. Set for the closing event of a call, and for each event of a change.
  `alter table events add column client_id bigint`,

  // "position" is that of the event that closes the call. "body" is the whole body or the part around its error;
  // "error_at" is the index of a character in it, "error_line" and "error_column" are places in the whole body.
  `create table rejected_bodies (
    company_id uuid not null,
    position bigint not null,
    recorded_at timestamptz(3) not null,
    body text not null,
    sent_bytes integer not null,
    truncated boolean not null,
    error_at integer,
    error_line integer,
    error_column integer,
    primary key (company_id, position)
  )`,
  `create index rejected_bodies_by_age on rejected_bodies (recorded_at)`,

  // A bucket of a block. "people" are hashes of employees, one for each record. "offsets" are how far before
  // "last_position" the calls of these records end.
  `create table unchanged_records (
    company_id uuid not null,
    bucket smallint not null,
    last_position bigint not null,
    first_position bigint not null,
    people bigint[] not null,
    offsets integer[] not null,
    primary key (company_id, bucket, last_position)
  )`,

  // A completed call, by the failed one that it corrects: "position" is that of the event that closes it, and "records"
  // are the indexes of the failed call's records that it applied, or null if that is not known.
  `create table corrections (
    company_id uuid not null,
    corrected_id uuid not null,
    position bigint not null,
    call_id uuid not null,
    records integer[],
    primary key (company_id, corrected_id, position)
  )`,
]
