import type { Kysely } from 'kysely'
import { runStatements } from '../src/migration/run-statements.ts'

/** Evidence files that are made by a job, and kept for a day. */
export async function up(db: Kysely<never>): Promise<void> {
  await runStatements(db, STATEMENTS)
}

const STATEMENTS = [
  // The last file that someone had made on the page, one per company. "request_id" names it; "file_id" names the attempt
  // that makes it, so that an attempt that was given up stores nothing more. "sealed_key" encrypts its chunks and is itself
  // encrypted under a key outside the database: without the row, the chunks cannot be read. "size" is that of its
  // checkpoint. "problem" says why it could not be made.
  `create table evidence_files (
    company_id uuid primary key,
    request_id uuid not null,
    file_id uuid not null,
    subject text not null,
    requested_by text not null,
    requested_at timestamptz(3) not null,
    seen_at timestamptz(3) not null,
    expires_at timestamptz(3) not null,
    state text not null check (state in ('waiting', 'making', 'done', 'failed')),
    problem text,
    size bigint not null default 0,
    events bigint not null default 0,
    events_read bigint not null default 0,
    chunks integer not null default 0,
    bytes bigint not null default 0,
    sealed_key bytea
  ) with (fillfactor = 50)`,
  `create index evidence_files_by_end on evidence_files (expires_at)`,
  `create table evidence_chunks (
    company_id uuid not null,
    file_id uuid not null,
    number integer not null check (number >= 0),
    content bytea not null,
    primary key (company_id, file_id, number)
  )`,
]
