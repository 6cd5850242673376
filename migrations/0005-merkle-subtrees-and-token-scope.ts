import type { Kysely } from 'kysely'
import { sql } from 'kysely'

/** What an auditor needs: roots of subtrees, from which proofs are made, and tokens that open the audit endpoint alone. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

const STATEMENTS = [
  // Derived from the leaf hashes of the events, and made again from them when it is lost. A subtree of level L has 2^L
  // leaves; "number" counts those of its level from 0.
  `create table merkle_subtrees (
    company_id uuid not null,
    level smallint not null,
    number bigint not null check (number >= 0),
    hash bytea not null check (octet_length(hash) = 32),
    primary key (company_id, level, number)
  )`,

  // Null: the token opens all that its user may do.
  `alter table user_tokens add column scope text check (scope in ('audit'))`,
]
