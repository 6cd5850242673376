import type { Kysely } from 'kysely'
import { runStatements } from '../src/postgres/migration/run-statements.ts'

/** Creates the ledger: heads, events, and the tables that the transaction of an append writes. */
export async function up(db: Kysely<never>): Promise<void> {
  await runStatements(db, STATEMENTS)
}

// fillfactor leaves room for HOT updates: every commit rewrites these rows and changes none of their indexes.
const STATEMENTS = [
  // One row: a fingerprint of the setup that `migrate` last applied, so that a program that needs another one notices.
  `create table setup (
    id integer primary key check (id = 1),
    fingerprint text not null
  )`,

  // "hash_key" keys the company's HMACs of guessable values. It must stay secret for as long as they are in use.
  `create table companies (
    company_id uuid primary key,
    name text not null,
    created_at timestamptz(3) not null,
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

  // "allowed_networks" holds CIDR texts in their usual form; null allows every address.
  `create table api_keys (
    company_id uuid not null,
    api_id uuid not null,
    version integer not null,
    name text not null,
    secret_hash bytea not null check (octet_length(secret_hash) = 32),
    is_enabled boolean not null,
    is_revoked boolean not null,
    scopes text[] not null check (cardinality(scopes) > 0 and scopes <@ array['employees:read', 'employees:write']),
    expires_at timestamptz(3),
    allowed_networks text[] check (cardinality(allowed_networks) between 1 and 32),
    quota_limit integer not null check (quota_limit >= 0),
    refresh_period text not null check (refresh_period in ('hourly', 'daily', 'weekly', 'monthly')),
    created_at timestamptz(3) not null,
    primary key (company_id, api_id)
  )`,
  `create table api_key_usage (
    company_id uuid not null,
    api_id uuid not null,
    window_start timestamptz(3) not null,
    requests_made integer not null check (requests_made >= 0),
    last_used timestamptz(3),
    primary key (company_id, api_id)
  ) with (fillfactor = 50)`,

  `create table users (
    company_id uuid not null,
    user_id uuid not null,
    version integer not null,
    email text not null,
    name text not null,
    role text not null check (role in ('admin', 'auditor', 'member')),
    password_hash text,
    created_at timestamptz(3) not null,
    primary key (company_id, user_id),
    constraint users_email unique (company_id, email)
  )`,
  `create table user_tokens (
    company_id uuid not null,
    token_hash bytea not null check (octet_length(token_hash) = 32),
    user_id uuid not null,
    name text not null,
    expires_at timestamptz(3) not null,
    created_at timestamptz(3) not null,
    primary key (company_id, token_hash)
  )`,

  // The position that each version of each projection has reached in each company, and its failures there.
  `create table checkpoints (
    company_id uuid not null,
    projection text not null,
    version integer not null,
    position bigint not null check (position >= 0),
    attempts integer not null default 0,
    next_try_at timestamptz(3),
    parked_at timestamptz(3),
    error text,
    primary key (company_id, projection, version)
  ) with (fillfactor = 50)`,

  `create function refuse_change_of_events() returns trigger language plpgsql as $$
  begin
    raise exception 'events are append-only: % is refused', tg_op using errcode = 'insufficient_privilege';
  end $$`,
  `create trigger events_are_append_only before update or delete or truncate on events
    for each statement execute function refuse_change_of_events()`,
]
