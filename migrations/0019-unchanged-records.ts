import type { Kysely } from 'kysely'
import { runStatements } from '../src/migration/run-statements.ts'

/** Indexes the records that changed nothing by employee: they have no event that an index could find. */
export async function up(db: Kysely<never>): Promise<void> {
  await runStatements(db, STATEMENTS)
}

const STATEMENTS = [
  // A bucket of a block. "people" are hashes of employees, one for each record. "offsets" are how far before
  // "last_position" the calls of these records end.
  `create table unchanged_records (
    company_id uuid not null,
    bucket smallint not null,
    last_position bigint not null,
    first_position bigint not null,
    people bigint[] not null,
    offsets integer[] not null,
    primary key (company_id, bucket, last_position)
  )`,
]
