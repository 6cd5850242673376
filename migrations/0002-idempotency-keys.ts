import type { Kysely } from 'kysely'
import { sql } from 'kysely'

/** Idempotency keys: which call a key was bound by, and for a while what that call answered. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

const STATEMENTS = [
  // "key_hash" is an HMAC of the key under the company's hash_key, "fingerprint" one of the request under "salt". The salt,
  // the fingerprint and the answer become null together, when the answer expires or somebody is erased. The row stays, so
  // that a key is never forgotten. "may_name_anyone": neither the call's events nor its answer show all whom it names.
  `create table idempotency_keys (
    company_id uuid not null,
    api_id uuid not null,
    key_hash bytea not null check (octet_length(key_hash) = 32),
    salt bytea check (octet_length(salt) = 16),
    fingerprint bytea check (octet_length(fingerprint) = 32),
    may_name_anyone boolean not null,
    call_id uuid not null,
    position bigint not null,
    status smallint not null,
    answered_at timestamptz(3) not null,
    headers json,
    body text,
    primary key (company_id, api_id, key_hash),
    check (num_nulls(salt, fingerprint, headers, body) in (0, 4))
  )`,
  // Calls with an idempotency key that have been under way for a while, so that a retry in another process is told so.
  `create table long_calls (
    company_id uuid not null,
    call_id uuid not null,
    api_id uuid not null,
    key_hash bytea not null,
    began_at timestamptz(3) not null,
    primary key (company_id, call_id)
  )`,
  `create index idempotency_keys_to_expire on idempotency_keys (answered_at) where body is not null`,
]
