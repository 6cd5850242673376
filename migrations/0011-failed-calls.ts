import { type Kysely } from 'kysely'
import { runStatements } from '../src/migration/run-statements.ts'

export async function up(db: Kysely<never>): Promise<void> {
  await runStatements(db, [
    // The valid records of a call that failed, by the position of the event that closes it. A part holds some of them as
    // an object in JSON, by their indexes. PostgreSQL compresses it. "bytes" is its length before.
    `create table failed_calls (
      company_id uuid not null,
      position bigint not null,
      part integer not null,
      recorded_at timestamptz(3) not null,
      records text not null,
      bytes integer not null,
      primary key (company_id, position, part)
    )`,
    `create index failed_calls_by_age on failed_calls (recorded_at)`,
  ])
}
