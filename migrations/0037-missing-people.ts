import type { Kysely } from 'kysely'
import { runStatements } from '../src/migration/run-statements.ts'

/** Stores which parts of uploaded files deactivate the people who are not in them. */
export async function up(db: Kysely<never>): Promise<void> {
  await runStatements(db, STATEMENTS)
}

const STATEMENTS = [
  // Null if the part has rows of the file. Otherwise its rows have the ids of people, and the number is how many were
  // active when they were listed.
  'alter table upload_parts add column missing_of integer',
]
