import type { Kysely } from 'kysely'
import { runStatements } from '../src/migration/run-statements.ts'

/** Tells processes that a rebuild has replaced rows: they must not use what they remember of the old ones. */
export async function up(db: Kysely<never>): Promise<void> {
  // Names the rebuild that last wrote the rows of a company; null if there was none.
  await runStatements(db, ['alter table checkpoints add column generation uuid'])
}
