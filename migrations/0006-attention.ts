import type { Kysely } from 'kysely'
import { runStatements } from '../src/migration/run-statements.ts'

/** Keeps what tells administrators that something is wrong: calls that a key should make, and providers that fail. */
export async function up(db: Kysely<never>): Promise<void> {
  await runStatements(db, STATEMENTS)
}

const STATEMENTS = [
  // When calls of the key are expected (see domain/accounts/expected-calls.ts), and since when.
  `alter table api_keys add column expected_calls jsonb, add column expected_since timestamptz(3),
    add constraint api_keys_expected check ((expected_calls is null) = (expected_since is null))`,
  // Since when nobody could sign in through the provider for a reason that its company has to mend, and the last reason.
  `alter table identity_providers add column failing_since timestamptz(3), add column fault text,
    add constraint identity_providers_fault check ((failing_since is null) = (fault is null))`,
]
