import type { Kysely } from 'kysely'
import { runStatements } from '../src/postgres/migration/run-statements.ts'

/** Adds the life cycles of keys, users and their tokens: rotation, one-time links, removal, revocation, last use. */
export async function up(db: Kysely<never>): Promise<void> {
  await runStatements(db, STATEMENTS)
}

const STATEMENTS = [
  // The secret before the last rotation works until it expires. Both columns are null if there is none.
  `alter table api_keys
    add column previous_secret_hash bytea check (octet_length(previous_secret_hash) = 32),
    add column previous_expires_at timestamptz(3),
    add column rotated_at timestamptz(3),
    add constraint api_keys_previous_secret check ((previous_secret_hash is null) = (previous_expires_at is null))`,

  // A removed user's row stays so that ids in the ledger keep their names; the email address becomes free. "link_hash"
  // is the SHA-256 of a one-time token whose bearer may set the password. "issuer" and "subject" are the account at the
  // company's identity provider, which stays the same when the email address changes.
  `alter table users
    drop constraint users_email,
    add column removed_at timestamptz(3),
    add column link_hash bytea check (octet_length(link_hash) = 32),
    add column link_expires_at timestamptz(3),
    add column issuer text,
    add column subject text,
    add constraint users_link check ((link_hash is null) = (link_expires_at is null)),
    add constraint users_identity check ((issuer is null) = (subject is null))`,
  `create unique index users_email on users (company_id, email) where removed_at is null`,
  `create unique index users_by_link on users (company_id, link_hash) where link_hash is not null`,
  `create unique index users_by_identity on users (company_id, issuer, subject)
    where subject is not null and removed_at is null`,

  // Give existing tokens ids of their own.
  `alter table user_tokens
    add column token_id uuid not null default gen_random_uuid(),
    add column last_used timestamptz(3),
    add column revoked_at timestamptz(3)`,
  `alter table user_tokens alter column token_id drop default`,
  `create unique index user_tokens_by_id on user_tokens (company_id, token_id)`,
  `create index user_tokens_by_user on user_tokens (company_id, user_id, token_id)`,
]
