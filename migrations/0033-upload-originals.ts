import type { Kysely } from 'kysely'
import { runStatements } from '../src/migration/run-statements.ts'

/** Stores how uploaded files were read, and the files themselves until they are applied, to read them in another way. */
export async function up(db: Kysely<never>): Promise<void> {
  await runStatements(db, STATEMENTS)
}

const STATEMENTS = [
  // "question" is what a file leaves open that could not be read yet: there is no upload with its id. "log_id" is the
  // failed call that the file is to correct, and "notes" is which of its rows are no records.
  `create table upload_originals (
    company_id uuid not null,
    upload_id uuid not null,
    user_id uuid not null,
    file_name text not null,
    operation text,
    log_id text not null,
    answers json not null,
    question json,
    notes json,
    bytes integer not null,
    content bytea,
    created_at timestamptz(3) not null,
    expires_at timestamptz(3) not null,
    primary key (company_id, upload_id)
  )`,
  // It is read in pieces, which takes as long as all of it where it is compressed.
  'alter table upload_originals alter column content set storage external',
  'create index upload_originals_by_end on upload_originals (expires_at)',
]
