import type { Kysely } from 'kysely'
import { runStatements } from '../src/migration/run-statements.ts'

/**
 * Finds the keys that need attention by indexes, and the newest one. Each call updates the usage of its key, in place as
 * long as no indexed column changes: so there is a column that changes with the first call of a window alone.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await runStatements(db, [
    // The window of the last use; null if there was none.
    'alter table api_key_usage add column last_window timestamptz(3)',
    'update api_key_usage set last_window = window_start where last_used is not null',
    'create index api_key_usage_by_window on api_key_usage (company_id, last_window) where last_window is not null',
    'create index api_key_usage_unused on api_key_usage (company_id, window_start, api_id) where last_window is null',
    'create index api_keys_by_expiry on api_keys (company_id, expires_at, api_id) where not is_revoked',
    `create index api_keys_expecting on api_keys (company_id, api_id) where expected_calls is not null and not is_revoked`,
    'create index api_keys_by_age on api_keys (company_id, created_at)',
  ])
}
