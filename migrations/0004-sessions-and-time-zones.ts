import type { Kysely } from 'kysely'
import { runStatements } from '../src/postgres/migration/run-statements.ts'

/**
 * Adds what the admin interface needs: sessions of signed-in users, and the time zone in which a company reads times.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await runStatements(db, STATEMENTS)
}

const STATEMENTS = [
  // Stores only the hash of the cookie. "role" is the user's role when the session was created; a change of role ends
  // the session. Sessions are not part of the ledger: they are not facts about the company. "last_used" is precise to
  // the minute. "user_agent" and "address" let users recognise their sessions. "provider_session" and "id_token", which is
  // encrypted, are what ending a session at the identity provider, or on its behalf, needs.
  `create table sessions (
    company_id uuid not null,
    session_hash bytea not null check (octet_length(session_hash) = 32),
    user_id uuid not null,
    role text not null,
    created_at timestamptz(3) not null,
    last_used timestamptz(3) not null,
    expires_at timestamptz(3) not null,
    user_agent text not null,
    address text not null,
    method text not null check (method in ('password', 'passkey', 'provider')),
    provider_session text,
    id_token bytea,
    primary key (company_id, session_hash)
  ) with (fillfactor = 80)`,
  `create index sessions_by_user on sessions (company_id, user_id)`,
  `create index sessions_by_provider on sessions (company_id, provider_session) where provider_session is not null`,
  `create index sessions_by_end on sessions (expires_at)`,

  // Signing in names an email address but no company.
  `create index users_who_sign_in on users (email) where removed_at is null`,

  `alter table companies add column time_zone text not null default 'UTC'`,
]
