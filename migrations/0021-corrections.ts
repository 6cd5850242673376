import type { Kysely } from 'kysely'
import { runStatements } from '../src/migration/run-statements.ts'

/** Finds the calls that correct a failed one, which only their own events name. */
export async function up(db: Kysely<never>): Promise<void> {
  await runStatements(db, STATEMENTS)
}

const STATEMENTS = [
  // A completed call, by the failed one that it corrects: "position" is that of the event that closes it, and "records"
  // are the indexes of the failed call's records that it applied, or null if that is not known.
  `create table corrections (
    company_id uuid not null,
    corrected_id uuid not null,
    position bigint not null,
    call_id uuid not null,
    records integer[],
    primary key (company_id, corrected_id, position)
  )`,
]
