import type { Kysely } from 'kysely'
import { runStatements } from '../src/postgres/migration/run-statements.ts'

/** Adds what an auditor needs: subtree roots, from which proofs are built, and tokens for the audit endpoint only. */
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

  // Null: the token may do everything its user may do.
  `alter table user_tokens add column scope text check (scope in ('audit'))`,
]
