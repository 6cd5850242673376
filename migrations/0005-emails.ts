import type { Kysely } from 'kysely'
import { runStatements } from '../src/migration/run-statements.ts'

/** Messages to users, and links with which they set a new password without an administrator. */
export async function up(db: Kysely<never>): Promise<void> {
  await runStatements(db, STATEMENTS)
}

const STATEMENTS = [
  // A message is inserted by the transaction of the change that causes it, and sent at most once. "content" is encrypted
  // under a key outside the database, and deleted when the state is final. The address of the user is looked up when the
  // message is sent. "sending" begins before the server is told of the message: if its lease ends, nobody knows what
  // became of it. "error" says why it is not sent, without what the server said, which may be personal.
  `create table emails (
    company_id uuid not null,
    email_id uuid not null,
    user_id uuid not null,
    kind text not null,
    state text not null check (state in ('waiting', 'sending', 'sent', 'failed', 'canceled', 'unknown')),
    content bytea,
    attempts integer not null default 0,
    error text,
    created_at timestamptz(3) not null,
    due_at timestamptz(3) not null,
    give_up_at timestamptz(3) not null,
    ended_at timestamptz(3),
    lease_id uuid,
    leased_until timestamptz(3),
    primary key (company_id, email_id),
    constraint emails_open check ((ended_at is null) = (state in ('waiting', 'sending'))),
    constraint emails_content check (content is null or ended_at is null)
  ) with (fillfactor = 50)`,
  `create index emails_waiting on emails (company_id, due_at) where ended_at is null`,
  `create index emails_by_user on emails (company_id, user_id, created_at)`,
  `create index emails_by_age on emails (created_at)`,

  // "reset_hash" is the SHA-256 of a one-time token that the user has asked for. Until it is used, the password works.
  `alter table users add column reset_hash bytea check (octet_length(reset_hash) = 32),
    add column reset_expires_at timestamptz(3),
    add constraint users_reset check ((reset_hash is null) = (reset_expires_at is null))`,
  `create unique index users_by_reset on users (company_id, reset_hash) where reset_hash is not null`,
]
