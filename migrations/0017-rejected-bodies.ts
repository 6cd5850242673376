import type { Kysely } from 'kysely'
import { runStatements } from '../src/migration/run-statements.ts'

/**
 * Keeps bodies that could not be read. They may be personal and are no facts, so they are not part of the ledger: they
 * are beside it until their person is erased or they get old.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await runStatements(db, STATEMENTS)
}

const STATEMENTS = [
  // "position" is that of the event that closes the call. "body" is the whole body or the part around its error;
  // "error_at" is the index of a character in it, "error_line" and "error_column" are places in the whole body.
  `create table rejected_bodies (
    company_id uuid not null,
    position bigint not null,
    recorded_at timestamptz(3) not null,
    body text not null,
    sent_bytes integer not null,
    truncated boolean not null,
    error_at integer,
    error_line integer,
    error_column integer,
    primary key (company_id, position)
  )`,
  `create index rejected_bodies_by_age on rejected_bodies (recorded_at)`,
]
