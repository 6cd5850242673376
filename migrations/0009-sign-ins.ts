import type { Kysely } from 'kysely'
import { runStatements } from '../src/migration/run-statements.ts'

/** Keeps who signed in and out, and which sign-ins failed, until the ledger has it, and for the pages of users. */
export async function up(db: Kysely<never>): Promise<void> {
  await runStatements(db, STATEMENTS)
}

const STATEMENTS = [
  // What became of sessions and is not in the ledger yet. A row is inserted by the transaction that starts or ends the
  // sessions, and deleted by the one that appends the event. "address" and "user_agent" are of "actor", who caused it.
  `create table session_events (
    company_id uuid not null,
    event_id uuid not null,
    user_id uuid not null,
    type text not null check (type in ('UserSignedIn', 'UserSignedOut', 'UserSessionsEnded')),
    data jsonb not null,
    actor text not null,
    address text,
    user_agent text,
    happened_at timestamptz not null,
    primary key (company_id, event_id)
  )`,
  `create index session_events_in_order on session_events (company_id, happened_at, event_id)`,

  // The last sign-in of each user. Where it came from is deleted after a while, like the rows of "actor_clients".
  `create table last_sign_ins (
    company_id uuid not null,
    user_id uuid not null,
    signed_in_at timestamptz(3) not null,
    method text not null check (method in ('password', 'passkey', 'recovery_code', 'provider')),
    address text,
    user_agent text,
    primary key (company_id, user_id)
  ) with (fillfactor = 50)`,
  `create index last_sign_ins_by_age on last_sign_ins (signed_in_at) where address is not null`,

  // The failed sign-ins of a user in an hour, counted by what was wrong, and from where the last one came. "is_recorded"
  // says that the hour is over and its event, if it has one, in the ledger.
  `create table failed_sign_ins (
    company_id uuid not null,
    user_id uuid not null,
    hour timestamptz(3) not null,
    password integer not null,
    passkey integer not null,
    recovery_code integer not null,
    last_at timestamptz(3) not null,
    address text,
    user_agent text,
    is_recorded boolean not null default false,
    primary key (company_id, user_id, hour)
  ) with (fillfactor = 50)`,
  `create index failed_sign_ins_unrecorded on failed_sign_ins (company_id, hour) where not is_recorded`,
  `create index failed_sign_ins_by_age on failed_sign_ins (last_at)`,
]
