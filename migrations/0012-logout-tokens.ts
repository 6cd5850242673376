import type { Kysely } from 'kysely'
import { runStatements } from '../src/migration/run-statements.ts'

/** Remembers the logout tokens of identity providers, so that each ends sessions once, in all processes. */
export async function up(db: Kysely<never>): Promise<void> {
  await runStatements(db, STATEMENTS)
}

const STATEMENTS = [
  // "token_hash" is the SHA-256 of the token's issuer and "jti". After "expires_at" the token is too old to be accepted.
  `create table logout_tokens (
    company_id uuid not null,
    token_hash bytea not null check (octet_length(token_hash) = 32),
    expires_at timestamptz(3) not null,
    primary key (company_id, token_hash)
  )`,
  `create index logout_tokens_by_end on logout_tokens (expires_at)`,
]
