import type { Kysely } from 'kysely'
import { runStatements } from '../src/migration/run-statements.ts'

const STATEMENTS = [
  // How many people the key may deactivate and change in a day, what is allowed beyond that and until when, and by the
  // SHA-256 (hexadecimal) of its former secrets, when each was replaced (see domain/accounts/key-limits.ts).
  `alter table api_keys add column limits jsonb, add column excess jsonb, add column former_secrets jsonb`,
  // What the key did to people; null if nothing yet.
  'alter table api_key_usage add column people_use jsonb',
  // Calls of an hour that a key's secret did not let in, and why. "address" is that of the last one.
  `create table turned_away_calls (
    company_id uuid not null,
    api_id uuid not null,
    hour timestamptz(3) not null,
    reason text collate "C" not null,
    calls integer not null,
    last_at timestamptz(3) not null,
    address text,
    primary key (company_id, api_id, hour, reason)
  ) with (fillfactor = 80)`,
  'create index turned_away_calls_by_age on turned_away_calls (hour)',
]

/** Adds the daily limits of keys, and the calls that their secrets did not let in. */
export async function up(db: Kysely<never>): Promise<void> {
  await runStatements(db, STATEMENTS)
}
