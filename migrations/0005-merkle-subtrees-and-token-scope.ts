import type { Kysely } from 'kysely'
import { runStatements } from '../src/postgres/migration/run-statements.ts'

/** Adds what an auditor needs: subtree roots, from which proofs are built, verifications on request, and tokens for the audit endpoint only. */
export async function up(db: Kysely<never>): Promise<void> {
  await runStatements(db, STATEMENTS)
}

const STATEMENTS = [
  // Derived from the events' leaf hashes, and rebuilt from them when missing. A subtree of level L has 2^L leaves;
  // "number" counts the subtrees of a level from 0.
  `create table merkle_subtrees (
    company_id uuid not null,
    level smallint not null,
    number bigint not null check (number >= 0),
    hash bytea not null check (octet_length(hash) = 32),
    primary key (company_id, level, number)
  )`,

  // The last verification that someone started on the page, one per company. "verdict" is a JSON text, null while it runs;
  // a run whose process died has no verdict, and a "seen_at" that gets old.
  `create table ledger_verifications (
    company_id uuid primary key,
    run_id uuid not null,
    started_by text not null,
    started_at timestamptz(3) not null,
    seen_at timestamptz(3) not null,
    position bigint not null,
    size bigint not null,
    verdict text
  ) with (fillfactor = 50)`,

  // Null: the token may do everything its user may do.
  `alter table user_tokens add column scope text check (scope in ('audit'))`,
]
