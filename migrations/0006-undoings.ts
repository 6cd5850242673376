import type { Kysely } from 'kysely'
import { runStatements } from '../src/migration/run-statements.ts'

export async function up(db: Kysely<never>): Promise<void> {
  await runStatements(db, [
    // A completed call, by the one that it took back: "position" is that of the event that closes it.
    `create table undoings (
      company_id uuid not null,
      undone_id uuid not null,
      position bigint not null,
      call_id uuid not null,
      is_whole boolean not null,
      primary key (company_id, undone_id, position)
    )`,
    // An upload that takes back another one has the calls of that one instead of rows.
    'alter table uploads add column undoes uuid',
    'alter table upload_parts add column undoes uuid',
  ])
}
