import type { Kysely } from 'kysely'
import { sql } from 'kysely'

/** What the admin interface needs: sessions of users who have signed in, and the time zone in which a company reads times. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

const STATEMENTS = [
  // Only the hash of the cookie stands here. "role" is the one that the cookie was made for: another one asks for a new
  // cookie. Written outside the ledger: a session is no fact about the company. Its last use is noted by the minute.
  `create table sessions (
    company_id uuid not null,
    session_hash bytea not null check (octet_length(session_hash) = 32),
    user_id uuid not null,
    role text not null,
    created_at timestamptz(3) not null,
    last_used timestamptz(3) not null,
    expires_at timestamptz(3) not null,
    primary key (company_id, session_hash)
  ) with (fillfactor = 80)`,
  `create index sessions_by_user on sessions (company_id, user_id)`,
  `create index sessions_by_end on sessions (expires_at)`,

  // Who signs in says an e-mail address, not a company.
  `create index users_who_sign_in on users (email) where removed_at is null and password_hash is not null`,

  `alter table companies add column time_zone text not null default 'UTC'`,
]
