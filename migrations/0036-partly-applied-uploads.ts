import type { Kysely } from 'kysely'
import { runStatements } from '../src/migration/run-statements.ts'

/** Stores whether uploaded files are applied without the rows that cannot be applied, and what the calls of parts did. */
export async function up(db: Kysely<never>): Promise<void> {
  await runStatements(db, STATEMENTS)
}

const STATEMENTS = [
  'alter table uploads add column all_or_none boolean not null default true',
  // "left_out" is the numbers of the rows that would not be applied, and "outcome" the counts of the call of a part.
  'alter table upload_parts add column left_out json, add column outcome json',
]
