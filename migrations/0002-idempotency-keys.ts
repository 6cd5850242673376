import type { Kysely } from 'kysely'
import { sql } from 'kysely'

/** Idempotency keys: which call a key was bound by, and for a while what that call answered. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

const STATEMENTS = [
  // "headers" and "body" become null when the answer has expired; the row stays, so that a key is never forgotten.
  `create table idempotency_keys (
    company_id uuid not null,
    api_id uuid not null,
    key_hash bytea not null check (octet_length(key_hash) = 32),
    fingerprint bytea not null check (octet_length(fingerprint) = 32),
    call_id uuid not null,
    position bigint not null,
    status smallint not null,
    answered_at timestamptz(3) not null,
    headers json,
    body text,
    primary key (company_id, api_id, key_hash)
  )`,
  `create index idempotency_keys_to_expire on idempotency_keys (answered_at) where body is not null`,
]
