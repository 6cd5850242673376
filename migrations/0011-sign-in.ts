import type { Kysely } from 'kysely'
import { runStatements } from '../src/postgres/migration/run-statements.ts'

/** Adds identity providers, passkeys and recovery codes. */
export async function up(db: Kysely<never>): Promise<void> {
  await runStatements(db, STATEMENTS)
}

const STATEMENTS = [
  // A company has at most one provider. "secret" is the client secret or the private key as a JWK, encrypted under a key
  // outside the database.
  `create table identity_providers (
    company_id uuid not null primary key,
    provider_id uuid not null,
    version integer not null,
    name text not null,
    issuer text not null,
    client_id text not null,
    client_auth text not null check (client_auth in ('client_secret', 'private_key_jwt')),
    creates_users boolean not null,
    role_claim text,
    roles jsonb not null,
    use text not null check (use in ('off', 'optional', 'required')),
    break_glass uuid,
    secret bytea not null,
    created_at timestamptz(3) not null,
    constraint identity_providers_break_glass check ((use = 'required') = (break_glass is not null))
  )`,

  // "last_used" is the time of the last challenge that was used: one that is no newer does not work.
  `create table passkeys (
    company_id uuid not null,
    credential_id bytea not null check (octet_length(credential_id) <= 1023),
    passkey_id uuid not null,
    user_id uuid not null,
    public_key bytea not null,
    counter bigint not null,
    transports text[] not null,
    name text not null,
    created_at timestamptz(3) not null,
    last_used timestamptz(3),
    primary key (company_id, credential_id)
  ) with (fillfactor = 80)`,
  `create index passkeys_by_user on passkeys (company_id, user_id)`,
  // Each code works once: its row is deleted.
  `create table recovery_codes (
    company_id uuid not null,
    user_id uuid not null,
    code_hash bytea not null check (octet_length(code_hash) = 32),
    primary key (company_id, user_id, code_hash)
  )`,
]
